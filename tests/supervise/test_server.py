"""Whatever is lost, killed, stopped or refused: no process stays, and no line goes unanswered."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import msgspec
import pytest

from custody.supervise import server as server_module
from custody.supervise.descendants import children, process_state
from support.processes import descendants, wait_until_gone
from support.sandboxes import CONFINED, LEVELS, Site
from support.stress import stress
from support.sweep import Sweep, budget, chance, paired

FEWEST, MOST = 4, 47
"""How many descriptors a server gets that has too few of them, or just enough."""
PAUSES = (0.0, 0.001, 0.002, 0.005, 0.2)


def test_lines_of_every_kind_in_any_order(site: Site, sweep: Sweep) -> None:
    sweep.over(
        sweep.points(range(round(budget(1, 40))), every=1),
        lambda number: "\n".join(stress(site, chance("lines", number), count=25)),
    )


@pytest.mark.parametrize("level", LEVELS)
def test_a_lost_server_is_told_when_everything_it_started_is_gone(site: Site, level: str) -> None:
    reaper = site.reaper
    left: list[int] = []

    def kill_when_it_runs() -> None:
        while not (site.run_folder / "stdout").exists() or not (
            (site.run_folder / "stdout").read_text()
        ):
            pass
        left.extend(descendants(reaper))
        os.kill(children(reaper)[0], signal.SIGKILL)

    thread = threading.Thread(target=kill_when_it_runs)
    thread.start()
    ran = site.run(site.confinement(level), "sh", "-c", "setsid sleep 1000 & echo on; sleep 1000")
    thread.join()
    assert ran.result.ended_by == "supervisor_lost"
    assert len(left) >= 3
    wait_until_gone(left)
    assert site.run(site.confinement(level), "true").result.succeeded


def has_spare(server: int) -> bool:
    """Whether the first process of the next sandbox waits; that of the last one only ends."""
    for one in children(server):
        with suppress(FileNotFoundError, ProcessLookupError):
            if process_state(one)[0] == "S" and Path(f"/proc/{one}/cmdline").read_bytes():
                return True
    return False


@pytest.mark.parametrize("place", ["let_go_of_everything_but", "go_on_guarded", "_Server"])
def test_a_server_that_cannot_begin_says_why(
    site: Site, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> NoReturn:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    with monkeypatch.context() as patch:
        patch.setattr(server_module, place, fail)
        ran = site.run(site.confinement("L1"), "echo", "on")
    why = "server_failed: [Errno 11] Resource temporarily unavailable"
    assert (ran.result.failure_reason, ran.stdout) == (why, "")
    assert site.run(site.confinement("L1"), "true").result.succeeded


def test_a_server_that_fails_between_lines_says_why(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> NoReturn:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(server_module._Server, "_see_off", fail)
        assert site.run(site.confinement("L1"), "true").result.succeeded
    ran = site.run(site.confinement("L1"), "true")
    assert ran.result.failure_reason == "server_failed: RuntimeError"
    assert site.run(site.confinement("L1"), "true").result.succeeded


@pytest.mark.parametrize("level", LEVELS)
def test_too_few_descriptors_are_a_failure_of_the_line(
    site: Site, level: str, sweep: Sweep
) -> None:
    assert site.run(site.confinement(level), "true").result.succeeded
    reaper = site.reaper
    (kept,) = children(reaper)
    while level == "L3" and not has_spare(kept):
        pass  # till then it is busy with the end of the last line, and would end itself
    limits = resource.prlimit(kept, resource.RLIMIT_NOFILE)
    reasons = set()
    for number in (FEWEST, *sweep.points(range(FEWEST + 1, MOST), every=4, about=level), MOST):
        resource.prlimit(kept, resource.RLIMIT_NOFILE, (number, limits[1]))
        other = msgspec.structs.replace(site.confinement(level), readable=(f"/no/{number}",))
        ran = site.run(other, "sh", "-c", "echo ran")
        assert ran.result.ended_by == ""
        assert (ran.stdout == "ran\n") == ran.result.succeeded
        reasons.add(ran.result.failure_reason.partition(":")[0])
    assert reasons <= {"", "confinement_failed", "server_failed", "tool_not_started",
                       "input_missing", "workdir_missing", "tool_exit_code_2"}  # fmt: skip
    assert len(reasons) > 1
    resource.prlimit(kept, resource.RLIMIT_NOFILE, limits)
    assert site.run(site.confinement(level), "true").result.succeeded
    assert children(reaper)[0] == kept, "it is still the same server"


@pytest.mark.parametrize(("pause", "level"), paired("spares", PAUSES, CONFINED))
def test_a_spare_shows_what_is_there_when_it_is_used(site: Site, pause: float, level: str) -> None:
    """Without a pause the folder is made anew, by the same number, while a spare is laid out."""
    shown = site.home / "tool"
    for content in ("one", "two", "three"):
        time.sleep(pause)
        shutil.rmtree(shown, ignore_errors=True)
        shown.mkdir()
        (shown / "text").write_text(content)
        confinement = msgspec.structs.replace(site.confinement(level), readable=(str(shown),))
        assert site.run(confinement, "cat", f"{shown}/text").stdout == content
        again = msgspec.structs.replace(site.confinement(level), readable=(str(shown),))
        assert site.run(again, "cat", f"{shown}/text").stdout == content


@pytest.mark.parametrize("level", CONFINED)
def test_lines_that_follow_each_other_at_once_share_their_folders(site: Site, level: str) -> None:
    """A line is answered before the mounts of its sandbox are gone; the next one waits for that."""
    confinement = site.confinement(level)
    for number in range(1, 9):
        ran = site.run(confinement, "sh", "-c", "echo line >> log; wc -l < log")
        assert (ran.stdout.strip(), ran.result.survivors) == (str(number), 0)
    site.supervisor.close()
    top = confinement.layers.upper if confinement.layers else confinement.workspace
    assert (Path(top) / "log").read_text() == 8 * "line\n"


def test_no_sandbox_outlives_the_server(site: Site) -> None:
    reaper = site.reaper
    assert site.run(site.confinement("L3"), "true").result.succeeded
    left = descendants(reaper)
    site.supervisor.close()
    assert not any(os.path.exists(f"/proc/{process}") for process in left)


def test_a_spare_that_has_ended_is_replaced(site: Site) -> None:
    for _ in range(3):
        assert site.run(site.confinement("L3"), "true").result.succeeded
        (kept,) = children(site.reaper)
        while not (spare := children(kept)):
            pass
        os.kill(spare[0], signal.SIGKILL)
        wait_until_gone(spare)
    assert site.run(site.confinement("L3"), "true").result.succeeded


STEPS = {
    "L3": (
        "open_tree", "mount_setattr", "move_mount", "mount", "pivot_root", "umount2", "sethostname",
        "capset", "landlock_create_ruleset", "landlock_restrict_self", "seccomp", "prctl",
    ),
    "L2": ("capset", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self",
           "seccomp", "prctl"),
}  # fmt: skip
ONE_LINE = """
import sys
from pathlib import Path
from custody.supervise.supervisor import Supervisor
from support.sandboxes import Site
with Supervisor() as supervisor:
    site = Site(supervisor, Path(sys.argv[1]))
    confinement = site.confinement(sys.argv[2], layered=False)
    print(site.run(confinement, "touch", "started", timeout=60).result.failure_reason)
"""

if shutil.which("strace"):

    @pytest.mark.parametrize(
        ("level", "step"), [(level, step) for level, steps in STEPS.items() for step in steps]
    )
    def test_a_step_that_fails_starts_nothing(tmp_path: Path, level: str, step: str) -> None:
        done = subprocess.run(
            ["strace", "-f", "-qq", "-o", tmp_path / "trace", "-e", f"trace={step}",
             "-e", f"inject={step}:error=EPERM", sys.executable, "-c", ONE_LINE, tmp_path, level],
            capture_output=True, text=True, check=False, timeout=100,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "INJECTED" in (tmp_path / "trace").read_text()
        assert done.stdout.startswith(("confinement_failed: ", "server_failed: "))
        assert not (tmp_path / "run" / "workspace" / "started").exists()
