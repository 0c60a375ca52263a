"""The executor's loop: how it is asked, what it tells of itself, and when it ends."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from custody.skills.tools import TOOLS
from support.agent_run import wait_for
from support.resident import JOB, RESIDENT, TOKEN, Resident, request
from support.skill_trial import skip_without

Start = Callable[..., Resident]


def state_of(resident: Resident) -> dict[str, Any]:
    """Return what the executor says of itself."""
    found: dict[str, Any] = json.loads((resident.home / "session/state.json").read_bytes())
    return found


@pytest.mark.parametrize("tool", RESIDENT)
def test_without_a_fifo_it_looks(start: Start, tool: str) -> None:
    resident = start(tool, wake=False)
    for _ in range(3):
        assert resident.run("puts x")["status"] == "PASS"
    assert resident.stop() == 0


def test_a_request_that_no_fifo_tells_of_is_found_too(start: Start) -> None:
    resident = start()
    assert resident.run("")["status"] == "PASS"
    name = resident.next_id("quiet")
    script = resident.script("quiet.tcl", "")
    (resident.home / "queue" / "part").write_text(json.dumps(request(name, script)))
    os.rename(resident.home / "queue/part", resident.home / "queue" / f"{name}.json")
    assert resident.ack(name)["status"] == "PASS"


def test_a_fifo_that_is_none_is_done_without(start: Start, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    resident = start(wake=False, SP_FIFO=str(tmp_path / "plain"))
    assert resident.run("")["status"] == "PASS"
    assert (tmp_path / "plain").read_text() == ""


@pytest.mark.req("S-07")
def test_what_was_there_before_it_started_is_done_in_order(start: Start, tmp_path: Path) -> None:
    (tmp_path / "queue").mkdir()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts/say.tcl").write_text("puts [incr ::n]")
    for number in (3, 1, 2):
        name = f"{JOB}_{number:04}_say"
        data = json.dumps(request(name, "scripts/say.tcl"))
        (tmp_path / "queue" / f"{name}.json").write_text(data)
    resident = start()
    assert [resident.ack(f"{JOB}_{n:04}_say")["status"] for n in (1, 2, 3)] == ["PASS"] * 3
    assert [resident.said("stdout", f"{JOB}_{n:04}_say") for n in (1, 2, 3)] == [
        "1\n", "2\n", "3\n",
    ]  # fmt: skip


@pytest.mark.req("S-07")
def test_another_executor_repeats_nothing(start: Start) -> None:
    resident = start()
    count = resident.home / "count"
    add = f"set f [open {{{count}}} a]; puts $f x; close $f"
    done = resident.run(add)["request_id"]
    resident.kill()
    begun = resident.next_id("begun")
    (resident.home / "session/claim" / f"{begun}.json").write_text("{}")
    script = resident.script("begun.tcl", add)
    resident.post(begun, request(begun, script))
    before = resident.ack(done)
    resident.start()
    assert resident.run("")["status"] == "PASS"
    assert count.read_text() == "x\n"
    assert resident.ack(done) == before
    assert not (resident.home / "ack" / f"{begun}.json").exists()
    assert f"{begun} was begun by another executor" in resident.said("stderr")


def test_a_request_is_claimed_before_it_is_begun(start: Start) -> None:
    resident = start()
    name = resident.next_id("run")
    claim = resident.home / "session/claim" / f"{name}.json"
    text = f"if {{![file exists {{{claim}}}]}} {{error unclaimed}}"
    ack = resident.ask(name, request(name, resident.script("claims.tcl", text)))
    assert ack["status"] == "PASS"
    said = json.loads(claim.read_bytes())
    assert (said["request_id"], said["token"]) == (name, TOKEN)


@pytest.mark.req("S-08")
def test_it_tells_that_it_lives_and_what_it_does(start: Start) -> None:
    resident = start(SP_HEARTBEAT_MS="10")
    beat = resident.home / "session/heartbeat"
    first = beat.read_text()
    wait_for(lambda: beat.read_text() not in {"", first})
    assert state_of(resident)["state"] == "READY"
    name = resident.next_id("slow")
    text = "set t [clock milliseconds]\nwhile {![file exists $::env(SP_REPORTS_DIR)/go]} {}"
    resident.post(name, request(name, resident.script("slow.tcl", text)))
    wait_for(lambda: state_of(resident)["state"] == "BUSY")
    busy = state_of(resident)
    assert (busy["request_id"], busy["token"], busy["pid"]) == (name, TOKEN, resident.process.pid)
    (resident.home / "reports/go").touch()
    assert resident.ack(name)["status"] == "PASS"
    wait_for(lambda: state_of(resident)["state"] == "READY")
    assert resident.stop() == 0
    assert state_of(resident)["state"] == "STOPPED"


@pytest.mark.req("S-08")
def test_the_heart_beats_while_a_script_lets_events_happen(start: Start) -> None:
    resident = start(SP_HEARTBEAT_MS="10")
    text = (
        "set h $::env(SP_RUN_DIR)/session/heartbeat\n"
        "proc now_says {h} {set f [open $h]; set t [gets $f]; close $f; return [lindex $t 1]}\n"
        "set a [now_says $h]; after 300 {set ::z 1}; vwait ::z\n"
        "if {[now_says $h] eq $a} {error silent}"
    )
    assert resident.run(text)["message"] == ""


class TestLease:
    def test_one_that_is_renewed_is_kept(self, start: Start, tmp_path: Path) -> None:
        lease = tmp_path / "lease"
        lease.write_text(str(TOKEN))
        resident = start(SP_LEASE_FILE=str(lease), SP_LEASE_S="3", SP_HEARTBEAT_MS="50")
        for renewal in range(40):
            os.utime(lease, (renewal, renewal))
            time.sleep(0.1)  # a renewal is something that takes time to be missed
        assert resident.run("")["status"] == "PASS"

    def test_one_that_is_not_renewed_ends(self, start: Start, tmp_path: Path) -> None:
        (tmp_path / "lease").write_text("")
        resident = start(
            SP_LEASE_FILE=str(tmp_path / "lease"), SP_LEASE_S="1", SP_HEARTBEAT_MS="50"
        )
        assert resident.process.wait(60) == 0
        assert "the lease is over" in resident.said("stderr")

    def test_a_newer_token_ends_it(self, start: Start, tmp_path: Path) -> None:
        (tmp_path / "lease").write_text(str(TOKEN))
        resident = start(SP_LEASE_FILE=str(tmp_path / "lease"), SP_HEARTBEAT_MS="10")
        assert resident.run("")["status"] == "PASS"
        (tmp_path / "lease").write_text(f"{TOKEN + 1}\n")
        assert resident.process.wait(60) == 0
        assert f"token {TOKEN + 1} was given to another session" in resident.said("stderr")

    def test_without_a_place_for_acks_it_ends(self, start: Start) -> None:
        resident = start(wake=False)
        os.rename(resident.home / "ack", resident.home / "ack.kept")
        name = resident.next_id("late")
        resident.post(name, request(name, resident.script("late.tcl", "")))
        assert resident.process.wait(60) == 0
        assert "there is no place for acks any more" in resident.said("stderr")


@pytest.mark.parametrize("tool", RESIDENT)
def test_what_scripts_can_call(start: Start, tool: str) -> None:
    resident = start(tool)
    text = """
        ::custody::write_metrics {wns -0.25 cells 010 area .5 big 1e400 power NaN top {a "b" \u00e9}
            plus +3 end 4. list {1 2} empty {} hex 0x10}
        set made [::custody::json_object {a 1 b 1 c {x y} d 1} {a string c strings d boolean}]
        if {$made ne {{"a": "1", "b": 1, "c": ["x", "y"], "d": true}}} {error $made}
        ::custody::json_object {a x} {a number}
    """
    ack = resident.run(text)
    assert ack["message"].endswith(':6: "x" is no finite number')
    assert json.loads((resident.home / "reports/metrics.json").read_bytes()) == {
        "wns": -0.25, "cells": 10, "area": 0.5, "big": "1e400", "power": "NaN",
        "top": 'a "b" \u00e9', "plus": 3, "end": 4, "list": "1 2", "empty": "", "hex": "0x10",
    }  # fmt: skip


@pytest.mark.parametrize("tool", RESIDENT)
def test_programs_are_started_where_the_tool_needs_them(start: Start, tool: str) -> None:
    resident = start(tool, SP_EXEC="allow")
    text = "set f [open |[list echo two]]; puts [exec echo one][gets $f]; close $f"
    ack = resident.run(text)
    assert ack["message"] == ""
    assert "onetwo" in resident.said("stdout", ack["request_id"])


@pytest.mark.parametrize("setting", ["SP_POLL_MS=abc", "SP_TOKEN=-1", "SP_EXEC=maybe"])
def test_settings_that_cannot_be(tmp_path: Path, setting: str) -> None:
    name, _, value = setting.partition("=")
    done = subprocess.run(
        TOOLS["tclsh"].argv(),
        cwd=tmp_path,
        env={**os.environ, "SP_RUN_DIR": str(tmp_path), name: value},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert name in done.stderr


def test_alone_it_takes_the_documented_folders(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts/hello.tcl").write_text("puts hello")
    process = subprocess.Popen(
        TOOLS["tclsh"].argv(),
        cwd="/",
        env={"PATH": os.environ["PATH"], "SP_RUN_DIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for((tmp_path / "session/ready").exists)
        name = f"{tmp_path.name}_0001_hello"
        data = {**request(name, "scripts/hello.tcl"), "job_id": tmp_path.name}
        (tmp_path / "session/part").write_text(json.dumps(data))
        os.rename(tmp_path / "session/part", tmp_path / "queue" / f"{name}.json")
        wait_for((tmp_path / "ack" / f"{name}.json").exists)
        assert json.loads((tmp_path / f"ack/{name}.json").read_bytes())["status"] == "PASS"
        (tmp_path / "session/stop").touch()
        assert "hello" in process.communicate(timeout=60)[0].decode()
        assert process.returncode == 0
    finally:
        process.kill()


@pytest.mark.parametrize("tool", RESIDENT)
def test_names_of_files_are_what_the_locale_says(tmp_path: Path, tool: str) -> None:
    skip_without(tool)
    home = tmp_path / "h\u00e9 \u4e2d [x]"
    home.mkdir()
    (home / "\u4e2d.tcl").write_text("set said h\u00e9\n")
    resident = Resident(home, tool, LANG="C.UTF-8", LC_ALL="", LC_CTYPE="")
    try:
        ack = resident.run(
            "source $::env(SP_RUN_DIR)/\u4e2d.tcl\n"
            "set f [open $::env(SP_REPORTS_DIR)/\u00fc.rpt w]; puts $f $said; close $f"
        )
    finally:
        resident.kill()
    assert (ack["status"], ack["message"]) == ("PASS", "")
    assert [path.name for path in (home / "reports").iterdir()] == ["\u00fc.rpt"]


def test_thousands_of_finished_requests_are_not_looked_at(start: Start, tmp_path: Path) -> None:
    for folder in ("queue", "ack"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "part").write_text("{}")
        for number in range(3000):
            os.link(tmp_path / folder / "part", tmp_path / folder / f"{number}.json")
    resident = start()
    assert resident.run("")["status"] == "PASS"
    assert len(list((tmp_path / "session/claim").iterdir())) == 1
    listed = f"/proc/{resident.process.pid}/stat"
    before = computed(listed)
    time.sleep(1)
    assert computed(listed) - before < 0.3, "it is at work although nothing is to be done"


def computed(stat: str) -> float:
    """Return the seconds that a process has computed."""
    fields = Path(stat).read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
