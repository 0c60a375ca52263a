"""Nothing that one attempt leaves decides what the next one does, but for the work itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody import api
from support.bench import Bench
from support.leftovers import (
    KEPT,
    KEPT_FOLDERS,
    LEAVE_AND_LOOK,
    OPEN_AT_L1,
    PLANT,
    VARIABLES,
)
from support.sandboxes import LEVELS
from support.sweep import paired, turn

AGENT = 'a [prompt="x", local_exec.argv="python3 {}"]\n'
LEFT = ("node_modules/.cache/x", ".pytest_cache/x", "target/x", "lib.pyc", "__pycache__/app.pyc")
KEEPING_NOTHING = (
    'type=verification, verification.required_commands="python3 leave.py"',
    'type=tool, tool_command="python3 leave.py", limits.written=1',
)
"""A judge, and one that writes too much."""
TOOL = '{} [type=tool, tool_command="python3 {}"{}]\n'


@pytest.fixture
def number(tmp_path: Path) -> Iterator[str]:
    """Return what the marks of this test are known by; none of them stays on the machine."""
    number = str(int.from_bytes(os.urandom(3)))
    yield number
    subprocess.run(
        [sys.executable, "-c", LEAVE_AND_LOOK, number, "clear"], check=True, timeout=60,
        env={**os.environ, **dict.fromkeys(VARIABLES, str(tmp_path))}, capture_output=True,
    )  # fmt: skip


@pytest.fixture
def place(bench: Bench, number: str) -> Bench:
    """Return a bench whose source holds a program that leaves marks; ``look.py`` fails too."""
    script = f"import sys; sys.argv = ['', {number!r}]\n{LEAVE_AND_LOOK}"
    (bench.workdir / "leave.py").write_text(script)
    (bench.workdir / "look.py").write_text(f"{script}\nsys.exit(1)\n")
    return bench


def found(bench: Bench, attempt: str, run_id: str = "r1") -> set[str]:
    log = bench.path(f"nodes/{attempt}/tool.stdout.log", run_id)
    return set(log.read_text().splitlines())


def open_at(level: str) -> set[str]:
    return OPEN_AT_L1 if level == "L1" else set()


def cached(bench: Bench, run_id: str = "r1") -> set[str]:
    return {path.name for path in bench.path("cache", run_id).glob("*")}


@pytest.mark.req("G-02")
@pytest.mark.parametrize("level", turn("leftovers: planted", LEVELS))
def test_planted_byte_code_does_not_pass_a_test(bench: Bench, level: str) -> None:
    (bench.workdir / "app.py").write_text("def answer(): return 41\n")
    (bench.workdir / "check.py").write_text("import app\nassert app.answer() == 42\n")
    (bench.workdir / "plant.py").write_text(PLANT)
    body = AGENT.format("plant.py") + TOOL.format("t", "check.py", "") + "start -> a -> t -> done"
    assert bench.run(body, agent="local_exec", confinement=level).summary.status == "FAIL"
    assert cached(bench) == set()


@pytest.mark.req("G-02")
@pytest.mark.parametrize("level", turn("leftovers: from before", LEVELS))
def test_byte_code_from_before_a_change_does_not_hide_it(bench: Bench, level: str) -> None:
    """The agent gives what it wrote the size and time of what was there."""
    (bench.workdir / "app.py").write_text("def answer(): return 42\n")
    (bench.workdir / "check.py").write_text("import app\nassert app.answer() == 42\n")
    (bench.workdir / "spoil.py").write_text(
        "import os\nstate = os.stat('app.py')\n"
        "open('app.py', 'w').write('def answer(): return 41\\n')\n"
        "os.utime('app.py', ns=(state.st_atime_ns, state.st_mtime_ns))\n"
    )
    body = TOOL.format("before", "check.py", "") + AGENT.format("spoil.py")
    body += TOOL.format("t", "check.py", "") + "start -> before -> a -> t -> done"
    assert bench.run(body, agent="local_exec", confinement=level).summary.status == "FAIL"


@pytest.mark.req("G-02")
@pytest.mark.parametrize("level", turn("leftovers: next", LEVELS))
def test_nothing_is_left_for_the_next_stage_nor_the_next_attempt(place: Bench, level: str) -> None:
    body = AGENT.format("leave.py") + TOOL.format("t", "look.py", ", max_retries=1")
    body += "start -> a -> t -> done"
    place.run(body, agent="local_exec", confinement=level)
    assert found(place, "t/1.1") == open_at(level)
    assert found(place, "t/1.2") == open_at(level)
    assert cached(place) == set()


@pytest.mark.req("G-02")
@pytest.mark.parametrize("level", turn("leftovers: packages", LEVELS))
def test_packages_that_were_cached_before_the_first_agent_stay_as_they_were(
    place: Bench, level: str
) -> None:
    (place.workdir / "spoil.sh").write_text("rm -r $PIP_CACHE_DIR; echo x > $npm_config_cache/x\n")
    body = (
        TOOL.format("install", "leave.py", "")
        + TOOL.format("again", "leave.py", "")
        + 'a [prompt="x", local_exec.argv="sh spoil.sh"]\n'
        + TOOL.format("t", "leave.py", "")
        + "start -> install -> again -> a -> t -> done"
    )
    result = place.run(body, agent="local_exec", confinement=level)
    assert result.summary.status == "PASS"
    assert found(place, "again/1.1") == KEPT | open_at(level)
    assert found(place, "t/1.1") == KEPT | open_at(level)
    assert cached(place) == {"base"}
    assert {path.name for path in place.path("cache/base").iterdir()} == KEPT_FOLDERS
    assert not place.path("cache/base/npm/x").exists()


@pytest.mark.req("G-02")
@pytest.mark.parametrize("level", turn("leftovers: refused attempt", LEVELS))
def test_a_refused_attempt_leaves_no_cache(place: Bench, level: str) -> None:
    (place.workdir / "stray.sh").write_text("python3 leave.py; echo x > stray.txt\n")
    body = (
        't [type=tool, tool_command="sh stray.sh", allowed_write_paths="docs/"]\n'
        + TOOL.format("u", "leave.py", "")
        + 'start -> t\nt -> u [condition="outcome=fail"]\nt -> done\nu -> done'
    )
    place.run(body, confinement=level)
    assert found(place, "u/1.1") == open_at(level)


@pytest.mark.req("G-02")
@pytest.mark.parametrize(("stage", "level"), paired("keeping nothing", KEEPING_NOTHING, LEVELS))
def test_an_attempt_that_keeps_nothing_leaves_no_cache(
    place: Bench, stage: str, level: str
) -> None:
    place.run(f"t [{stage}]\nstart -> t -> done", confinement=level)
    assert cached(place) == set()


@pytest.mark.req("G-02")
def test_a_fork_begins_with_what_was_cached_by_then(place: Bench) -> None:
    body = TOOL.format("install", "leave.py", "") + AGENT.format("leave.py")
    body += TOOL.format("t", "leave.py", "") + "start -> install -> a -> t -> done"
    place.run(body, agent="local_exec", confinement="L3")
    for run_id, node, kept in (("f1", "t", KEPT), ("f2", "a", KEPT), ("f3", "install", set())):
        api.fork("r1", node, runsdir=str(place.runsdir), run_id=run_id)
        assert found(place, "t/1.1", run_id) == KEPT
        if node == "install":
            assert found(place, "install/1.1", run_id) == kept


@pytest.mark.req("G-02")
@pytest.mark.parametrize(("path", "level"), paired("left in the workspace", LEFT, LEVELS))
def test_what_is_left_in_the_workspace_is_a_change(bench: Bench, path: str, level: str) -> None:
    (bench.workdir / "leave.sh").write_text(f"mkdir -p $(dirname {path}); echo x > {path}\n")
    body = 'a [prompt="x", local_exec.argv="sh leave.sh", allowed_write_paths="src/"]\n'
    result = bench.run(f"{body}start -> a -> done", agent="local_exec", confinement=level)
    assert result.summary.status == "FAIL"
    assert path in bench.path("nodes/a/1.1/status.json").read_text()
    assert not bench.path(f"workspace/{path}").exists()


@pytest.mark.req("G-02")
@pytest.mark.parametrize("level", turn("leftovers: killed", LEVELS))
def test_what_a_killed_process_left_is_gone_when_the_run_goes_on(place: Bench, level: str) -> None:
    body = TOOL.format("install", "leave.py", "") + 'ask [prompt="x", agent=outbox]\n'
    body += TOOL.format("t", "leave.py", "") + "start -> install -> ask -> t -> done"
    assert place.run(body, confinement=level).waiting == "ask/1.1"
    for name in ("t.1.1/pip", "t.1.1/upper/pip", "pip", ".tmp.1.1"):
        place.path(f"cache/{name}").mkdir(parents=True)
        shutil.copytree(place.path("cache/base/pip"), place.path(f"cache/{name}/more"))
    api.answer("ask/1.1", "Go on.", runsdir=str(place.runsdir))
    assert api.resume("r1", runsdir=str(place.runsdir)).summary.status == "PASS"
    assert found(place, "t/1.1") == KEPT | open_at(level)
    assert cached(place) == {"base"}


@pytest.mark.req("G-02")
def test_a_stage_that_a_changed_pipeline_sets_aside_leaves_no_cache(place: Bench) -> None:
    tools = TOOL.format("install", "leave.py", "") + TOOL.format("more", "leave.py", "{}")
    body = f'{tools}wait [prompt="x", agent=outbox]\nstart -> install -> more -> wait -> done'
    place.run(body.format(""))
    assert cached(place) == {"base"}
    changed = place.pipeline(body.format(", max_retries=1"))
    result = api.resume("r1", runsdir=str(place.runsdir), pipeline=changed, accept_change=True)
    assert result.waiting == "wait/1.1"
    assert found(place, "more/1.1") == set(), "it has another past now"
