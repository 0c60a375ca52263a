"""Each word for a failure is reached by a real cause, and everything that is left agrees about it.

A job is run as a user runs it, by `custody skill run`; something happens to it; then its manifest,
timeline, exchanges, summary and bundle are held against the protocol field by field.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from custody.model.layout import RESTORE_WRAPPER
from custody.model.session import Beat
from custody.model.skill.error_type import ERROR_TYPES
from custody.skills.find import find_skill
from support.agent_run import wait_for
from support.job_protocol import ERROR_TYPES as PROTOCOL
from support.job_protocol import read, troubles
from support.job_user import Ended, User
from support.jobs import CONTRACT, SCRIPT, JobSite
from support.programs import needs
from support.remains import Remains
from support.shell import Done, command
from support.slurm import Slurm

OWN = """\
[skills.tools.tclsh]
ready_s = 20.0
heartbeat_s = 4.0
hung_s = 3.0
lost_s = 4.0
"""
LAUNCHER_LOG = "*/session/tool/1/watcher.log"
SLEEPS = 'command = ["sh", "-c", "exec sleep 600"]'
NEVER_READY = OWN.replace("ready_s = 20.0", f"ready_s = 1.0\n{SLEEPS}")
BUSY = "puts begun\nset until [expr {[clock seconds] + 600}]\n"
BUSY += "while {[clock seconds] < $until} {}\n"
COUNTS = "while {[clock milliseconds] < $until} {}\n"
WAITS = "puts begun\nafter 600000\n"
DEAF = (
    'command = ["sh", "-c", "cd $CUSTODY_SESSION_DIR; echo > state/ready; '
    'while :; do touch state/heartbeat; sleep 0.1; done"]'
)


class Site(JobSite):
    """A folder with a design and a skill, in which a user runs jobs."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.own(OWN)
        self.user = User(self.home, self.config, "count")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Return such a folder; nothing that a job has started is left."""
    with Remains() as remains:
        yield Site(tmp_path)
        assert remains.trouble(tmp_path) == ""


AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root may do that to a folder")


def passes(site: Site) -> Ended:
    return site.user.run()


def named_by_the_user(site: Site) -> Ended:
    site.own('[skills]\nlauncher = "farm"\n[skills.launchers.farm]\ncommand = ["nice"]\n' + OWN)
    ended = site.user.run("--adapter", "")
    assert ended.manifest["runtime"]["adapter"] == "farm"
    return ended


def no_design(site: Site) -> Ended:
    return site.user.run("--design", "bottom")


def several_designs(site: Site) -> Ended:
    site.design("top", folder="older")
    return site.user.run()


def no_companion(site: Site) -> Ended:
    shutil.rmtree(site.home / "top.enc.dat")
    return site.user.run("--design", "./top.enc")


def leads_nowhere(site: Site) -> Ended:
    (site.home / "top.enc").unlink()
    (site.home / "top.enc").symlink_to("gone.enc")
    return site.user.run("--design", "./top.enc")


def one_hint(site: Site) -> Ended:
    site.contract(CONTRACT.replace("  - look at the design\n", ""))
    return site.user.run()


def never_ready(site: Site) -> Ended:
    site.own(NEVER_READY)
    return site.user.run()


def not_installed(site: Site) -> Ended:
    site.own('[skills.tools.tclsh]\ncommand = ["no-such-tool"]\n')
    return site.user.run()


def no_such_queue(site: Site) -> Ended:
    site.own(OWN + _dsub("--refuse", "bighosts: No such queue", "--says", "0"))
    return site.user.run("--adapter", "dsub-i")


def _dsub(*options: str) -> str:
    words = [sys.executable, "-m", "custody.testing.dsub_i", *options]
    return f'[skills.launchers."dsub-i"]\ncommand = {json.dumps(words)}\n'


def killed(site: Site) -> Ended:
    site.script(BUSY)
    with site.user.when_asked(lambda _, beat: os.kill(beat.program, signal.SIGKILL)):
        return site.user.run()


def killed_while_the_launcher_says_0(site: Site) -> Ended:
    site.own(OWN + _dsub("--says", "0"))
    site.script(BUSY)
    with site.user.when_asked(lambda _, beat: os.kill(beat.program, signal.SIGSEGV)):
        return site.user.run("--adapter", "dsub-i")


def killed_while_it_restores(site: Site) -> Ended:
    shutil.rmtree(site.home / "top.enc.dat")
    (site.home / "top.enc").unlink()
    site.design("top", BUSY)
    with site.user.when_asked(lambda _, beat: os.kill(beat.program, signal.SIGKILL), "restore"):
        return site.user.run()


def stopped(site: Site) -> Ended:
    site.script(BUSY)
    with site.user.when_asked(lambda _, beat: os.kill(beat.program, signal.SIGSTOP)):
        return site.user.run()


def does_nothing(site: Site) -> Ended:
    site.script(WAITS)
    return site.user.run()


def watcher_killed(site: Site) -> Ended:
    site.script(BUSY)
    with site.user.when_asked(lambda _, beat: os.kill(beat.watcher, signal.SIGKILL)):
        return site.user.run()


def takes_too_long(site: Site) -> Ended:
    site.script(BUSY)
    return site.user.run("--design", "top", "--timeout", "5")


def is_deaf(site: Site) -> Ended:
    site.own(OWN + DEAF)
    return site.user.run()


def restore_fails(site: Site) -> Ended:
    (site.home / "top.enc.dat/cells.tcl").unlink()
    return site.user.run()


def restore_says_so(site: Site) -> Ended:
    (site.home / "top.enc").write_text('puts "Error: 3 nets are lost"\nset cells 3\n')
    return site.user.run()


def script_fails(site: Site) -> Ended:
    site.script('error "no such net: clk"')
    return site.user.run()


def script_says_so(site: Site) -> Ended:
    site.script(f'{SCRIPT}\nputs "Error: no such net: clk"\nreturn 0')
    return site.user.run()


def script_exits(site: Site) -> Ended:
    site.script(f"{SCRIPT}\nexit 0")
    return site.user.run()


def no_report(site: Site) -> Ended:
    site.script("::custody::write_metrics {cells 3}")
    return site.user.run()


def empty_report(site: Site) -> Ended:
    site.script("close [open $env(SP_REPORTS_DIR)/cells.rpt w]\n::custody::write_metrics {cells 3}")
    return site.user.run()


def acks_cannot_be_written(site: Site) -> Ended:
    """The folder cannot be written to, not even by root."""
    site.script("puts begun\nafter 1000\n")
    frozen: list[Path] = []

    def freeze(run: Path, _: Beat) -> None:
        lost = f"{run.name}_0002_run.json was not answered"
        site.user.expected = ["RUN_SKILL has no {'receive_ack'}", lost]
        frozen.append(run / "ack")
        subprocess.run(["chattr", "+i", run / "ack"], check=True)

    try:
        with site.user.when_asked(freeze):
            return site.user.run()
    finally:
        for folder in frozen:
            subprocess.run(["chattr", "-i", folder], check=True)


class Cause(NamedTuple):
    """What happens to a job, and what must be said of it."""

    happens: Callable[[Site], Ended]
    error: str
    message: str
    last: str = "SUMMARIZE"
    """The last state before the job is summed up."""


CAUSES = (
    Cause(passes, "OK", "", "VALIDATE_OUTPUTS"),
    Cause(named_by_the_user, "OK", "", "VALIDATE_OUTPUTS"),
    Cause(one_hint, "CONTRACT_INVALID", "debug_hints", "PREPARE_RUNDIR"),
    Cause(no_design, "LOCATOR_FAIL", "bottom.enc", "LOCATE_DB"),
    Cause(several_designs, "LOCATOR_FAIL", "--select", "LOCATE_DB"),
    Cause(no_companion, "LOCATOR_FAIL", "top.enc.dat", "LOCATE_DB"),
    Cause(leads_nowhere, "LOCATOR_FAIL", "top.enc", "LOCATE_DB"),
    Cause(never_ready, "SESSION_START_FAIL", "not ready after 1 s", "START_SESSION"),
    Cause(not_installed, "SESSION_START_FAIL", "no-such-tool", "START_SESSION"),
    Cause(no_such_queue, "SESSION_START_FAIL", "launcher has ended", "START_SESSION"),
    Cause(killed, "INNOVUS_CRASH", "signal 9", "RUN_SKILL"),
    Cause(killed_while_the_launcher_says_0, "INNOVUS_CRASH", "signal 11", "RUN_SKILL"),
    Cause(killed_while_it_restores, "INNOVUS_CRASH", "signal 9", "RESTORE_DB"),
    Cause(stopped, "HEARTBEAT_LOST", "stopped", "RUN_SKILL"),
    Cause(does_nothing, "HEARTBEAT_LOST", "heartbeat", "RUN_SKILL"),
    Cause(watcher_killed, "HEARTBEAT_LOST", "not heard of", "RUN_SKILL"),
    Cause(takes_too_long, "QUEUE_TIMEOUT", "5 s", "RUN_SKILL"),
    Cause(is_deaf, "QUEUE_TIMEOUT", "has not taken up", "RESTORE_DB"),
    Cause(restore_fails, "RESTORE_FAIL", "cells.tcl", "RESTORE_DB"),
    Cause(restore_says_so, "RESTORE_FAIL", "Error: 3 nets are lost", "RESTORE_DB"),
    Cause(script_fails, "CMD_FAIL", "no such net: clk", "RUN_SKILL"),
    Cause(script_says_so, "CMD_FAIL", "Error: no such net: clk", "RUN_SKILL"),
    Cause(script_exits, "CMD_FAIL", "exit", "RUN_SKILL"),
    Cause(no_report, "OUTPUT_MISSING", "reports/cells.rpt", "VALIDATE_OUTPUTS"),
    Cause(empty_report, "OUTPUT_EMPTY", "reports/cells.rpt", "VALIDATE_OUTPUTS"),
    Cause(acks_cannot_be_written, "INTERNAL_ERROR", "ack", "RUN_SKILL"),
)


@pytest.mark.req("S-15", "S-17")
def test_a_node_of_slurm_is_killed(slurm: Slurm, site: Site) -> None:
    """Slurm may say exit code 0 of it; the job says what is known."""
    node = slurm.spare()
    srun = ["srun", "-n1", "-w", node]
    site.own(OWN + f"[skills.launchers.srun]\ncommand = {json.dumps(srun)}\n")
    site.script(BUSY)
    with site.user.when_asked(lambda _, __: slurm.kill(node, jobs=True)):
        ended = site.user.run("--adapter", "srun")
    manifest = ended.manifest
    assert (manifest["error_type"], manifest["runtime"]["adapter"]) == ("HEARTBEAT_LOST", "srun")
    state = read(ended.run / "debug_bundle/session/state.json")
    assert (state["reason"], state["exit_code"]) == ("unknown", None), "nobody knows how it ended"


@pytest.mark.req("S-17")
@needs("sta")
def test_a_real_tool_works_as_a_job_of_slurm(tmp_path: Path, slurm: Slurm) -> None:
    mock = Path(find_skill("summary_health").path) / "mock"
    home = shutil.copytree(mock, tmp_path / "design")
    user = User(home, tmp_path / "config", "summary_health")
    ended = user.run("--design", "counter", "--adapter", "srun")
    assert ended.manifest["error_type"] == "OK", ended.manifest["message"]
    assert read(ended.run / "summary.json")["metrics"]["cells"] > 0
    assert "srun" in (ended.run / "job_timeline.jsonl").read_text()
    wait_for(lambda: slurm.jobs(slurm.shared[0]) == "")


WITHOUT = "-dac_override,-dac_read_search"
"""What root must lack so that a file's mode holds for it as well."""


@pytest.mark.req("S-11", "S-15")
@pytest.mark.parametrize("name", ["top.enc", "top.enc.dat"])
def test_a_design_that_nobody_may_read(site: Site, name: str) -> None:
    (site.home / name).chmod(0)
    drop = ["setpriv", f"--bounding-set={WITHOUT}"] if os.geteuid() == 0 else []
    words = ["skill", "run", "count", "--design", "top", "--adapter", "local"]
    done = subprocess.run(
        [*drop, *command(*words)],
        cwd=site.home,
        env=site.user.shell.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    (site.home / name).chmod(0o700)
    ended = site.user.ended(Done(done.returncode, done.stdout, done.stderr))
    assert ended.manifest["error_type"] == "LOCATOR_FAIL"
    assert name in ended.manifest["message"]


@pytest.mark.req("S-08")
def test_a_command_that_computes_for_long_is_no_lost_heartbeat(site: Site) -> None:
    site.own(OWN.replace("heartbeat_s = 4.0", "heartbeat_s = 1.0"))
    site.script(f"set until [expr {{[clock milliseconds] + 2500}}]\n{COUNTS}{SCRIPT}")
    ended = site.user.run()
    assert ended.manifest["error_type"] == "OK", ended.manifest["message"]
    acks = [read(path) for path in sorted((ended.run / "ack").iterdir())]
    assert acks[-1]["duration_ms"] > 2400


@AS_ROOT
@pytest.mark.req("S-04", "S-15", "S-16")
def test_the_disk_is_full(site: Site) -> None:
    """Nothing can be written down; when there is room again, the job is brought to its end."""
    site.user.runs.mkdir(parents=True)
    small = ["-t", "tmpfs", "-o", "size=1m", "none", str(site.user.runs)]
    subprocess.run(["mount", *small], check=True)
    try:
        site.script("puts begun\nafter 1000\n")
        with site.user.when_asked(lambda run, _: fill(run / "filler")):
            done = site.user.shell("skill", "run", "count", "--design", "top")
        assert done.code == 1
        assert "no space left" in done.err.lower()
        run = site.user.last()
        (run / "filler").unlink()
        done = site.user.shell("resume", str(run))
        ended = site.user.ended(done)
        assert ended.manifest["error_type"] == "OUTPUT_MISSING", "all else was done meanwhile"
    finally:
        subprocess.run(["umount", "-l", str(site.user.runs)], check=True)


def fill(file: Path) -> None:
    """Leave no room on the disk of a file."""
    with file.open("wb", buffering=0) as full, suppress(OSError):
        while full.write(b"x" * 4096):
            pass


@pytest.mark.req("S-04", "S-17")
def test_ctrl_c_takes_a_job_out_of_the_queue(site: Site) -> None:
    site.own(OWN + _dsub("--full"))
    words = ("skill", "run", "count", "--design", "top", "--adapter", "dsub-i")
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with site.start(*words, **streams) as process:
        logs = site.user.runs
        wait_for(lambda: any("Waiting" in log.read_text() for log in logs.glob(LAUNCHER_LOG)))
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    run = site.user.last()
    assert [*troubles(run)] == []
    assert read(run / "job_manifest.json")["message"].startswith("the job was told to stop")
    assert "is being terminated" in (run / "session/supervisor.log").read_text()


def test_an_adapter_that_nobody_knows_begins_no_job(site: Site) -> None:
    done = site.user.shell("skill", "run", "count", "--design", "top", "--adapter", "dsub")
    assert (done.code, done.out) == (1, "")
    assert "did you mean 'dsub-i'?" in done.err
    assert not site.user.runs.exists()


def parameters() -> Iterator[Any]:
    """Yield every cause, named by what happens."""
    for cause in CAUSES:
        marks = [AS_ROOT, needs("chattr")] if cause.happens is acks_cannot_be_written else []
        yield pytest.param(cause, id=cause.happens.__name__, marks=marks)


def test_there_is_a_cause_for_each_word() -> None:
    assert list(ERROR_TYPES) == PROTOCOL
    assert {cause.error for cause in CAUSES} == set(PROTOCOL)


@pytest.mark.req("S-15", "S-16", "S-17", "S-04", "S-05", "S-07", "S-14")
@pytest.mark.parametrize("cause", [*parameters()])
def test_what_has_happened_is_said(cause: Cause, site: Site) -> None:
    ended = cause.happens(site)
    assert ended.manifest["error_type"] == cause.error, ended.manifest["message"]
    assert cause.message in ended.manifest["message"]
    end = "DONE" if cause.error == "OK" else "FAIL"
    assert ended.states[-3:] == [cause.last, "SUMMARIZE", end]


SPOILS: dict[str, Callable[[Path], object]] = {
    "a manifest that still says RUNNING": lambda run: change(run / "job_manifest.json", "FAIL"),
    "a summary that says something else": lambda run: change(run / "summary.json", "CMD_FAIL"),
    "a field too few": lambda run: change(run / "debug_bundle/index.json", "next_actions"),
    "no debug_bundle/": lambda run: shutil.move(run / "debug_bundle", run / "bundle"),
    "no ack": lambda run: max((run / "ack").iterdir()).unlink(),
    "a bundle without its contract": lambda run: (run / "debug_bundle/contract.yaml").unlink(),
    "an inventory of other reports": lambda run: (run / "reports/more").write_text("x"),
    "a time that goes back": lambda run: swap(run / "job_timeline.jsonl"),
    "a wrapper of another design": lambda run: (run / RESTORE_WRAPPER).write_text(""),
}


def change(file: Path, word: str) -> None:
    """Put another word in the place of one."""
    text = file.read_text()
    assert f'"{word}"' in text
    file.write_text(text.replace(f'"{word}"', '"RUNNING"'))


def swap(file: Path) -> None:
    """Exchange the first line and the last."""
    first, *lines, last = file.read_text().splitlines()
    file.write_text("\n".join((last, *lines, first)))


def test_what_is_not_as_the_protocol_says_is_found(site: Site, tmp_path: Path) -> None:
    run = script_fails(site).run
    for number, (what, spoil) in enumerate(SPOILS.items()):
        copy = tmp_path / str(number) / run.relative_to(site.home)
        shutil.copytree(run, copy, symlinks=True)
        before = [*troubles(copy)]
        spoil(copy)
        if (copy / "bundle").exists():
            with pytest.raises(FileNotFoundError):
                [*troubles(copy)]
        else:
            assert len([*troubles(copy)]) > len(before), what
