"""Skills as every surface runs them: a job that passes, and one for each way it can fail."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from custody import api, skill
from custody.errors import UsageError
from custody.model import layout
from custody.model.skill.error_type import ERROR_TYPES
from support.agent_run import wait_for
from support.jobs import CONTRACT, DESIGN, QUICK, SCRIPT, STATES, Job, JobSite
from support.processes import is_alive

pytestmark = pytest.mark.timeout(120)

EXEC = 'command = ["env", "SP_EXEC=allow", "tclsh"]\n'
STOPPED_TOOL = "exec kill -STOP [pid]\nafter 100\n"


@pytest.fixture
def site(tmp_path: Path) -> JobSite:
    return JobSite(tmp_path)


def failed(job: Job) -> tuple[str, str]:
    """Return why a job failed, when all that a failure must leave is there."""
    assert job.verdict[0] == "FAIL"
    whole(job)
    return job.verdict[1], job.manifest["message"]


def whole(job: Job) -> None:
    """Assert what holds for every job that has ended."""
    passed = job.verdict[0] == "PASS"
    events = Counter(line["event"] for line in job.timeline)
    assert (events["DONE"], events["FAIL"]) == ((1, 0) if passed else (0, 1))
    assert job.timeline[-1]["event"] == ("DONE" if passed else "FAIL")
    assert job.states("STATE_ENTER") == job.states("STATE_EXIT")
    assert (job.path / layout.DEBUG_BUNDLE).is_dir() is not passed
    for folder in ("scripts", "queue", "ack", "reports", "session"):
        assert (job.path / folder).is_dir()
    asked = {path.name for path in (job.path / "queue").iterdir()}
    assert asked == {path.name for path in (job.path / "ack").iterdir()}
    verified = api.verify(str(job.path))
    assert not verified.mismatches
    assert not api.replay(str(job.path)).divergence
    if not passed:
        index = job.read("debug_bundle/index.json")
        assert index["error_type"] == job.verdict[1]
        for pointer in index["pointers"].values():
            for path in [pointer] if isinstance(pointer, str) else pointer:
                assert (job.path / "debug_bundle" / path).is_file()


@pytest.mark.req("S-01", "S-02", "S-05", "S-07", "S-14")
def test_a_job_passes(site: JobSite) -> None:
    job = site.run()
    assert job.verdict == ("PASS", "OK")
    whole(job)
    assert job.path.parent == site.home / ".skillpilot" / "runs"
    assert re.fullmatch(r"\d{8}_\d{6}_\d+_[0-9a-f]{4}", job.path.name)
    assert job.states("STATE_ENTER") == [*STATES]
    summary = job.read(layout.SUMMARY)
    assert summary["metrics"] == {"cells": 42}
    assert (job.path / "reports" / "cells.rpt").read_text() == "cells 42\n"


@pytest.mark.req("S-13", "G-14")
def test_a_report_that_was_changed_afterwards_is_found(site: JobSite) -> None:
    job = site.run()
    assert "reports/" not in api.verify(str(job.path)).unknown
    with (job.path / "reports" / "cells.rpt").open("a") as report:
        report.write("forged\n")
    found = {(one.code, one.where) for one in api.verify(str(job.path)).mismatches}
    assert ("evidence", "reports/cells.rpt") in found


def test_a_report_that_a_script_lets_be_changed_later_is_judged_as_it_stays(site: JobSite) -> None:
    """The tool is ended before anybody looks at what it has left."""
    late = "after 1 {close [open [file join $env(SP_REPORTS_DIR) cells.rpt] w]}\n"
    site.script(SCRIPT + late)
    assert failed(site.run())[0] == "OUTPUT_EMPTY"


@pytest.mark.req("S-10")
def test_only_the_wrapper_sources_the_design(site: JobSite) -> None:
    job = site.run()
    enc = str(site.home / "top.enc")
    wrapper = (job.path / "scripts" / "restore_wrapper.tcl").read_text().splitlines()
    assert wrapper[-2:] == ["cd [file dirname $enc_path]", "source $enc_path"]
    others = [
        path for path in (job.path / "scripts").iterdir() if path.name != "restore_wrapper.tcl"
    ]
    assert not [path for path in others if enc in path.read_text()]
    design, artifacts = job.manifest["design"], job.manifest["artifacts"]
    assert (design["enc_path"], design["enc_dat_path"]) == (enc, f"{enc}.dat")
    assert artifacts["restore_wrapper"] == "scripts/restore_wrapper.tcl"
    request = f"{job.path.name}_0001_restore"
    assert (artifacts["restore_request"], artifacts["restore_ack"]) == (
        request,
        f"ack/{request}.json",
    )
    told = {line["data"]["action"]: line for line in job.timeline if line["event"] == "ACTION"}
    assert told["locate_db"]["data"]["enc_path"] == enc
    asked = [line["data"] for line in job.timeline if line.get("data", {}).get("request_id")]
    assert [one["action"] for one in asked if one["request_id"] == request] == [
        "submit_request",
        "receive_ack",
    ]


@pytest.mark.req("S-06", "S-07")
def test_each_script_is_a_request_with_one_ack(site: JobSite) -> None:
    two = CONTRACT.replace(
        "    entry: templates/run.tcl\n",
        "    entry: templates/run.tcl\n  - name: again\n    entry: templates/again.tcl\n",
    )
    site.contract(two)
    site.script("set cells 7\n" + SCRIPT, "again")
    job = site.run()
    whole(job)
    names = [f"{job.path.name}_{one}.json" for one in ("0001_restore", "0002_run", "0003_again")]
    assert sorted(path.name for path in (job.path / "queue").iterdir()) == names
    assert job.states("STATE_ENTER").count("RUN_SKILL") == 2
    assert job.read(layout.SUMMARY)["metrics"] == {"cells": 7}


@pytest.mark.req("S-11", "S-15")
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("nowhere", "there is no nowhere.enc"),
        ("./nowhere.enc", "is not there"),
        ("twin", "2 designs are named twin"),
        ("half", "half.enc.dat is not there"),
    ],
)
def test_a_design_that_is_not_found_or_not_the_only_one(
    site: JobSite, query: str, message: str
) -> None:
    for folder in ("a", "b/c"):
        site.design("twin", folder=folder)
    (site.home / "half.enc").write_text(DESIGN)
    job = site.run(query)
    error, said = failed(job)
    assert error == "LOCATOR_FAIL"
    assert message in said
    assert job.states("STATE_ENTER")[-3:] == ["LOCATE_DB", "SUMMARIZE", "FAIL"]
    if query == "twin":
        listed = job.manifest["design"]["locator"]["candidates"]
        assert [one["path"] for one in listed] == [
            str(site.home / "a/twin.enc"),
            str(site.home / "b/c/twin.enc"),
        ]
        assert all({"path", "mtime", "size"} == one.keys() for one in listed)
        assert site.run("twin", select=2).manifest["design"]["enc_path"] == listed[1]["path"]


@pytest.mark.req("S-15", "S-16")
@pytest.mark.parametrize("contract", ["tool: tclsh\n", "", CONTRACT + "more: 1\n"])
def test_a_contract_that_is_not_sound_ends_the_job_before_the_tool(
    site: JobSite, contract: str
) -> None:
    site.contract(contract)
    job = site.run()
    assert failed(job)[0] == "CONTRACT_INVALID"
    assert job.states("STATE_ENTER") == ["INIT", "PREPARE_RUNDIR", "SUMMARIZE", "FAIL"]
    assert not [*(job.path / "session").iterdir()]


def test_a_script_that_the_skill_does_not_have(site: JobSite) -> None:
    (site.skill / "templates" / "run.tcl").unlink()
    assert failed(site.run()) == (
        "CONTRACT_INVALID",
        "templates/run.tcl: the script cannot be read: there is no such file",
    )


@pytest.mark.req("S-15", "S-17")
@pytest.mark.parametrize("command", ['["false"]', '["no-such-tool"]', '["sh", "-c", "sleep 600"]'])
def test_a_tool_that_is_never_ready(site: JobSite, command: str) -> None:
    site.own(QUICK.replace("ready_s = 20.0", f"ready_s = 3.0\ncommand = {command}"))
    job = site.run()
    assert failed(job)[0] == "SESSION_START_FAIL"
    assert (job.path / "debug_bundle" / "session" / "state.json").is_file()


@pytest.mark.req("S-15", "S-17")
def test_a_tool_that_is_killed(site: JobSite) -> None:
    site.own(QUICK + EXEC)
    site.script("exec kill -KILL [pid]\n")
    job = site.run()
    error, message = failed(job)
    assert (error, message) == ("INNOVUS_CRASH", "tclsh has ended: signal 9")
    state = job.read("debug_bundle/session/state.json")
    assert (state["state"], state["signal"]) == ("ENDED", 9)
    last = job.read("debug_bundle/index.json")["pointers"]["last_fail_ack"]
    assert job.read(f"debug_bundle/{last}")["error_type"] == "INNOVUS_CRASH"


@pytest.mark.req("S-08", "S-15")
def test_a_tool_that_is_stopped(site: JobSite) -> None:
    site.own(QUICK + EXEC)
    site.script(STOPPED_TOOL)
    error, message = failed(site.run())
    assert error == "HEARTBEAT_LOST"
    assert "its process is stopped" in message


@pytest.mark.req("S-08", "S-15")
def test_a_tool_that_waits_for_nothing_and_has_no_heartbeat(site: JobSite) -> None:
    site.script("after 60000\n")
    assert failed(site.run())[0] == "HEARTBEAT_LOST"


@pytest.mark.req("S-08")
def test_a_command_that_computes_for_long_is_no_lost_heartbeat(site: JobSite) -> None:
    busy = "set end [expr {[clock seconds] + 4}]\nwhile {[clock seconds] < $end} {}\n"
    site.script(busy + SCRIPT)
    assert site.run().verdict == ("PASS", "OK")


@pytest.mark.req("S-15", "S-17")
def test_a_script_that_takes_too_long(site: JobSite) -> None:
    site.script("while 1 {}\n")
    error, message = failed(site.run(timeout=1.5))
    assert (error, message) == (
        "QUEUE_TIMEOUT",
        "no ack within 1.5 s: give it more by --timeout",
    )


@pytest.mark.req("S-15")
@pytest.mark.parametrize("text", ["error {no such database}\n", "puts {Error: cannot read}\n"])
def test_a_design_that_cannot_be_restored(site: JobSite, text: str) -> None:
    (site.home / "top.enc").write_text(text)
    job = site.run()
    assert failed(job)[0] == "RESTORE_FAIL"
    assert "RUN_SKILL" not in job.states("STATE_ENTER")


@pytest.mark.req("S-15")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("error {no such net}\n", "no such net"),
        (SCRIPT + "puts {Error: link failed}\n", "the log says: Error: link failed"),
        (SCRIPT + "puts stderr {Error: link failed}\n", "the log says: Error: link failed"),
        (SCRIPT + "exit 0\n", "exit"),
        (SCRIPT.replace("$cells]", "0]"), "metric cells is 0, under the least of 1"),
        (SCRIPT.replace("dict create cells $cells", "dict create cells many"), "not a number"),
    ],
)
def test_a_script_that_fails_or_only_seems_to_pass(site: JobSite, text: str, message: str) -> None:
    site.script(text)
    error, said = failed(site.run())
    assert error == "CMD_FAIL"
    assert message in said


def test_a_line_that_is_to_be_ignored_is_no_error(site: JobSite) -> None:
    site.script(SCRIPT + "puts {Error: 0 found}\n")
    assert site.run().verdict == ("PASS", "OK")


@pytest.mark.req("S-13", "S-15")
@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("set x 1\n", "OUTPUT_MISSING", "reports/cells.rpt matches nothing"),
        (
            SCRIPT.replace('puts $file "cells $cells"\n', ""),
            "OUTPUT_EMPTY",
            "reports/cells.rpt is empty",
        ),
        (
            "file link -symbolic $env(SP_REPORTS_DIR)/cells.rpt $env(SP_ENC_PATH)\n",
            "OUTPUT_MISSING",
            "reports/cells.rpt matches no file: reports/cells.rpt is a symlink",
        ),
    ],
)
def test_an_output_that_is_missing_or_empty(
    site: JobSite, text: str, error: str, message: str
) -> None:
    site.script(text)
    job = site.run()
    assert failed(job) == (error, message)
    inventory = job.read("debug_bundle/reports_inventory.json")
    listed = inventory["missing"] if error == "OUTPUT_MISSING" else inventory["empty"]
    assert listed == ["reports/cells.rpt"]
    assert inventory["contract"] == "contract.yaml"
    assert (job.path / "debug_bundle" / "contract.yaml").read_text() == CONTRACT


@pytest.mark.req("S-04", "S-15")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_job_that_somebody_ends_fails_and_leaves_nothing_running(
    site: JobSite, number: signal.Signals
) -> None:
    site.script("while 1 {}\n")
    words = ("skill", "run", "count", "--design", "top")
    with site.start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for(lambda: _busy(site))
        program = _state(site)["pid"]
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.startswith("FAIL  INTERNAL_ERROR")
    assert not is_alive(program)
    job = Job(api.show(str(site.last())))
    error, message = failed(job)
    assert error == "INTERNAL_ERROR"
    assert message.startswith("the job was told to stop: ")


def test_a_file_ends_a_job_as_well(site: JobSite) -> None:
    site.script(
        "set file [open [file join $env(SP_RUN_DIR) session stop] w]\nclose $file\nwhile 1 {}\n"
    )
    words = ("skill", "run", "count", "--design", "top", "--confinement", "L1")
    with site.start(*words, stdout=subprocess.PIPE) as process:
        process.communicate(timeout=60)
    assert process.returncode == 1
    assert failed(Job(api.show(str(site.last())))) == ("INTERNAL_ERROR", "the job was told to stop")


def _state(site: JobSite) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((site.last() / "session" / "state.json").read_text())
    return found


def _busy(site: JobSite) -> bool:
    try:
        queue = [path.name for path in (site.last() / "session/tool/1/box/claim").iterdir()]
        return any("0002_run" in name for name in queue) and bool(_state(site)["pid"])
    except (OSError, ValueError):
        return False


@pytest.mark.req("S-16")
def test_a_bundle_is_run_again_elsewhere_where_its_inputs_are(
    site: JobSite, tmp_path: Path
) -> None:
    site.script("error {no such net}\n")
    bundle = tmp_path / "elsewhere"
    (site.run().path / "debug_bundle").rename(bundle)
    site.script(SCRIPT)
    again = skill.rerun(str(bundle))
    assert Job(again.run).verdict == ("PASS", "OK")
    with pytest.raises(UsageError, match="holds no job"):
        skill.rerun(str(tmp_path))
    site.home.rename(tmp_path / "moved")
    with pytest.raises(UsageError, match="the folder of the job is not here"):
        skill.rerun(str(bundle))


def test_what_cannot_be_meant_is_refused_before_a_job_begins(site: JobSite) -> None:
    for wanted in ({"select": -1}, {"timeout": 0.0}, {"skill": "nothing"}):
        with pytest.raises(UsageError):
            site.run(**wanted)
    with pytest.raises(UsageError):
        site.run("")
    assert not os.path.exists(site.runsdir)


def test_the_types_that_are_tried_here_are_all_there_are() -> None:
    text = Path(__file__).read_text()
    assert not [name for name in ERROR_TYPES if f'"{name}"' not in text]


def test_no_job_waits_long_for_its_tool_to_end(site: JobSite) -> None:
    began = time.monotonic()
    site.run()
    assert time.monotonic() - began < 30


FORGED = """\
proc forge {id token} {
    set job $::env(SP_JOB_ID)
    set file [open [file join $::env(SP_ACK_DIR) $id.json] w]
    puts $file [format {{"schema_version":"1.0","request_id":"%s","job_id":"%s","status":"PASS",\
"error_type":"OK","message":"","token":%s}} $id $job $token]
    close $file
}
"""


@pytest.mark.req("S-07")
def test_acks_that_nobody_asked_for_do_not_count(site: JobSite) -> None:
    """Cases request-033 and request-034: they are recorded, and change nothing."""
    site.script(
        FORGED
        + "forge ${env(SP_JOB_ID)}_0007_never 1\n"
        + "file delete [file join $env(SP_ACK_DIR) ${env(SP_JOB_ID)}_0001_restore.json]\n"
        + "forge ${env(SP_JOB_ID)}_0001_restore 1\n"
        + SCRIPT
    )
    job = site.run()
    whole(job)
    assert job.verdict == ("PASS", "OK")
    ignored = [
        line["data"]["request_id"] for line in job.timeline if line["event"] == "ACK_IGNORED"
    ]
    assert ignored == [f"{job.path.name}_0001_restore", f"{job.path.name}_0007_never"]
    assert job.read(f"ack/{job.path.name}_0001_restore.json")["status"] == "PASS"
    assert "- 2 acks came that do not count" in (job.path / "summary.md").read_text()


@pytest.mark.req("S-07")
def test_an_ack_of_another_session_does_not_count(site: JobSite) -> None:
    site.script(FORGED + "forge ${env(SP_JOB_ID)}_0002_run 99\nerror {no such net}\n")
    error, message = failed(site.run())
    assert error == "CMD_FAIL"
    assert message == "security violation: the ack is of token 99, not of 1"


@pytest.mark.req("S-07")
def test_a_forged_ack_alone_lets_nothing_pass(site: JobSite) -> None:
    site.script(FORGED + "forge ${env(SP_JOB_ID)}_0002_run 1\nerror {no such net}\n")
    assert failed(site.run())[0] in {"OUTPUT_MISSING", "CMD_FAIL"}


@pytest.mark.req("S-08")
def test_a_heartbeat_of_the_future_is_no_heartbeat(site: JobSite) -> None:
    """Case request-035: what counts is that it changes, not what time it says."""
    site.script(
        "file mtime [file join $env(SP_STATE_DIR) heartbeat] [expr {[clock seconds] + 315360000}]\n"
        "after 60000\n"
    )
    assert failed(site.run())[0] == "HEARTBEAT_LOST"


@pytest.mark.req("S-03", "S-04", "S-05", "S-06", "S-07", "S-14", "S-16")
@pytest.mark.parametrize("text", [SCRIPT, "error {no such net}\n"])
def test_every_file_fits_its_schema(site: JobSite, text: str) -> None:
    """Each document has every field that it must have, and says of which version it is."""
    import jsonschema

    site.script(text)
    job = site.run()
    named = {
        "job_manifest.json": "job_manifest",
        "summary.json": "job_summary",
        "session/state.json": "session_state",
        "docs/job.json": "job",
        "docs/design.json": "design",
        "queue/*.json": "source_request",
        "ack/*.json": "source_ack",
        "debug_bundle/index.json": "bundle_index",
        "debug_bundle/job_manifest.json": "job_manifest",
        "debug_bundle/reports_inventory.json": "reports_inventory",
        "debug_bundle/ack/*.json": "source_ack",
    }
    for pattern, name in named.items():
        found = [*job.path.glob(pattern)]
        assert found or pattern.startswith("debug_bundle/")
        for path in found:
            document = json.loads(path.read_text())
            jsonschema.validate(document, api_schema(name))
            assert document.keys() >= MUST[name]
            assert document["schema_version"] == ("1.1" if name == "job_manifest" else "1.0")
    for line in job.timeline:
        jsonschema.validate(line, api_schema("job_timeline"))
        assert line.keys() >= MUST["job_timeline"]


def api_schema(name: str) -> dict[str, Any]:
    """Return a JSON Schema as `custody schema` gives it."""
    from custody.model.schemas import json_schema

    return json_schema(name)


MUST: dict[str, set[str]] = {
    "job_manifest": {
        *("schema_version", "job_id", "created_at", "status", "error_type", "runtime", "design"),
        *("skill", "artifacts", "versions"),
    },
    "job_timeline": {"schema_version", "ts", "job_id", "level", "event"},
    "source_request": {
        *("schema_version", "request_id", "job_id", "action", "script", "created_at"),
    },
    "source_ack": {
        *("schema_version", "request_id", "job_id", "status", "error_type", "message"),
        *("started_at", "finished_at", "duration_ms", "evidence_paths"),
    },
    "job_summary": {
        *("schema_version", "job_id", "status", "error_type", "design", "skill", "metrics"),
        "evidence",
    },
    "bundle_index": {
        *("schema_version", "job_id", "error_type", "summary", "pointers", "next_actions"),
    },
    "reports_inventory": {"files", "missing", "empty", "contract"},
    "session_state": {"state", "last_heartbeat"},
    "job": {"skill", "runtime", "tool"},
    "design": {"query", "mode"},
}
"""The fields that the document of a job names, file by file."""


@pytest.mark.req("S-04", "S-16")
def test_the_manifest_has_every_field_of_the_document(site: JobSite) -> None:
    job = site.run()
    manifest = job.manifest
    assert manifest["runtime"].keys() >= {
        "cwd",
        "run_dir",
        "adapter",
        "user",
        "host",
        "env_summary",
    }
    assert manifest["design"].keys() == {"enc_path", "enc_dat_path", "locator"}
    locator = manifest["design"]["locator"]
    assert locator.keys() == {"mode", "query", "candidates", "selected", "selection_reason"}
    assert locator["selected"].keys() == {"enc_path", "enc_dat_path"}
    assert (locator["mode"], locator["selection_reason"]) == ("cwd_scan", "unique_scan_result")
    assert manifest["skill"] == {
        "name": "count",
        "version": "1.2.0",
        "subskill_path": str(site.skill),
    }
    assert manifest["runtime"]["run_dir"] == str(job.path)
    for name in ("timeline", "summary_json", "summary_md", "reports_dir", "session_dir"):
        assert (job.path / manifest["artifacts"][name]).exists()


@pytest.mark.req("S-16")
def test_a_bundle_holds_no_secret(site: JobSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-abcdefghijklmnop-0123456789")
    site.script("puts sk-abcdefghijklmnop-0123456789\nerror {no such net}\n")
    job = site.run()
    failed(job)
    kept = [*(job.path / "debug_bundle").rglob("*"), *(job.path / "nodes").rglob("*")]
    assert not [p for p in kept if p.is_file() and b"sk-abcdefghijklmnop" in p.read_bytes()]


@pytest.mark.req("S-04", "S-15")
def test_an_interrupted_job_is_no_running_one(site: JobSite) -> None:
    """Who goes on with a job, and is interrupted, leaves a manifest that says so."""
    site.script("while 1 {}\n")
    words = ("run", "skill_job", "--runsdir", ".skillpilot/runs", *_settings(site))
    with site.start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for(lambda: _busy(site))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    manifest = json.loads((site.last() / "job_manifest.json").read_text())
    assert (manifest["status"], manifest["error_type"]) == ("FAIL", "INTERNAL_ERROR")
    assert manifest["message"].startswith("interrupted by SIGINT")


def _settings(site: JobSite) -> list[str]:
    said = {"skill": "count", "skill_path": str(site.skill), "design": "top"}
    said |= {"cwd": str(site.home), "adapter": "local"}
    return [word for name in said for word in ("--set", f"{name}={said[name]}")]


def test_a_script_that_changes_its_own_file_has_failed(site: JobSite) -> None:
    """Where nothing confines the tool, it can; then nobody knows what was sourced."""
    site.script(
        "set file [open [file join $env(SP_SCRIPTS_DIR) run_count.tcl] a]\nputs $file #\n"
        "close $file\n" + SCRIPT
    )
    job = site.run(confinement="L1")
    assert job.verdict == ("FAIL", "CMD_FAIL")
    assert job.manifest["message"] == (
        "security violation: scripts/run_count.tcl is not what it was when it was sourced"
    )
    changed = [one.where for one in api.verify(str(job.path)).mismatches]
    assert changed == ["scripts/run_count.tcl"]
