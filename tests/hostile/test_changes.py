"""Whatever a program makes of a workspace is taken over as it is, or refused by its path."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from custody import api
from custody.engine.result import RunResult
from custody.workspace.workspace import Workspace, differences
from support import kinds
from support.bench import Bench
from support.kinds import TURNS, Turn
from support.overlay import become_nobody, in_child, inside
from support.sweep import examples, paired, turn
from support.trees import Picture, picture
from support.workspaces import Site

Work = Callable[[Path], None]
WAYS = (kinds.turn_all, kinds.renamed)
SOME = settings(
    max_examples=examples(15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def on_layers(workspace: Workspace, work: Work, *, keep: bool) -> Picture:
    """Let a program work as it does at L3; return what it saw when it was done."""

    def there(top: str) -> Picture:
        work(Path(top))
        return picture(Path(top))

    layers = workspace.begin_stage("n/1.1")
    merged = inside(layers, there)
    changes = workspace.capture(layers)
    if keep:
        workspace.accept(changes)
    workspace.settle(layers, accepted=keep)
    return merged


def on_the_workspace(workspace: Workspace, work: Work, *, keep: bool) -> Picture:
    """Let a program work as it does at L2."""
    top = Path(workspace.path)
    work(top)
    made = picture(top)
    changes = workspace.capture()
    if keep:
        workspace.accept(changes)
    else:
        workspace.restore()
    return made


LEVELS = (on_layers, on_the_workspace)


def rehearse(
    home: Path,
    turns: Iterable[Turn],
    way: Callable[[Path, Iterable[Turn]], None],
    level: Callable[..., Picture],
    *,
    keep: bool,
) -> None:
    site = Site(home)
    kinds.lay_out(site.source, turns)
    workspace = site.workspace()
    top = Path(workspace.path)
    before = picture(top)
    made = level(workspace, lambda place: way(place, turns), keep=keep)
    assert picture(top) == (made if keep else before)
    assert workspace.capture() == ()
    assert differences(workspace._run, workspace.expected) == []
    site.close()
    shutil.rmtree(home)


@pytest.mark.req("G-29")
@pytest.mark.parametrize(
    ("change", "level"), paired("kinds of things", product(WAYS, (True, False)), LEVELS)
)
def test_any_kind_of_thing_becomes_any_other(
    tmp_path: Path, change: tuple[Callable[..., None], bool], level: Callable[..., Picture]
) -> None:
    way, keep = change
    (tmp_path / "home").mkdir()
    rehearse(tmp_path / "home", TURNS, way, level, keep=keep)


@pytest.mark.req("G-29")
@pytest.mark.parametrize("level", turn("kinds of things of nobody", LEVELS))
def test_any_kind_of_thing_becomes_any_other_without_the_rights_of_root(
    public: Path, level: Callable[..., Picture]
) -> None:
    def as_nobody() -> None:
        become_nobody()
        for way in WAYS:
            for keep in (True, False):
                home = public / f"{way.__name__}-{keep}"
                home.mkdir()
                rehearse(home, TURNS, way, level, keep=keep)

    in_child(as_nobody)


@pytest.mark.req("G-29")
@SOME
@given(turns=st.lists(st.sampled_from(TURNS), unique=True), way=st.sampled_from(WAYS))
def test_each_of_some_turns_is_taken_over_alone(
    tmp_path_factory: pytest.TempPathFactory, turns: list[Turn], way: Callable[..., None]
) -> None:
    for level in LEVELS:
        rehearse(tmp_path_factory.mktemp("home"), turns, way, level, keep=True)


def run_and_verify(bench: Bench, level: str, script: str, **options: str) -> RunResult:
    """Run a tool that changes the workspace, and one that looks at it; the record must be right."""
    (bench.workdir / "work.sh").write_text(script)
    body = 't [type=tool, tool_command="sh work.sh"]\nu [type=tool, tool_command="ls -lR"]\n'
    result = bench.run(f"{body}start -> t -> u -> done", confinement=level, **options)
    verified = api.verify("r1", runsdir=str(bench.runsdir))
    assert verified.mismatches == (), verified
    return result


CONFINED = ("L2", "L3")
TAKEN_OVER = {
    "symlink_to_folder": "rm link; mkdir link; echo new > link/file",
    "folder_to_symlink": "rm -r folder; ln -s other folder",
    "symlink_to_folder_and_back": "rm link; mkdir link; rmdir link; ln -s folder link",
    "opaque": "rm -r folder; mkdir folder; echo new > folder/new",
    "renamed": "mv folder moved",
    "swapped": "mv folder aside; mv other folder; mv aside other",
    "hard_link": "ln file file2",
    "sparse": "truncate -s 64M sparse",
    "long_name": "touch $(printf '%0255d' 0)",
    "newline": "printf x > 'a\nb'",
    "deep": "mkdir -p $(printf 'd/%.0s' $(seq 900)); touch $(printf 'd/%.0s' $(seq 900))end",
    "emptied": "rm -r *",
}
REFUSED = {
    "not_utf8": ("touch $(printf 'a\\377')", r"a\xff"),
    "not_utf8_folder": ("mkdir $(printf 'a\\377'); touch $(printf 'a\\377')/file", r"a\xff"),
    "link_out": ("ln -s /etc/passwd out", "out"),
    "too_deep": (
        "python3 -c \"import os\nfor _ in range(2100): os.mkdir('d'); os.chdir('d')\"",
        "d/d/d/d/d",
    ),
}


@pytest.fixture
def place(bench: Bench) -> Bench:
    """Return a bench with something of each kind."""
    for name in ("folder", "other"):
        (bench.workdir / name).mkdir()
        (bench.workdir / name / name).write_text(name)
    (bench.workdir / "file").write_text("file")
    (bench.workdir / "link").symlink_to("folder")
    return bench


@pytest.mark.req("G-29")
@pytest.mark.parametrize(("name", "level"), paired("taken over", TAKEN_OVER, CONFINED))
def test_a_run_goes_on_after_any_change(place: Bench, name: str, level: str) -> None:
    assert run_and_verify(place, level, TAKEN_OVER[name]).summary.status == "PASS"


@pytest.mark.req("G-29")
@pytest.mark.parametrize(("name", "level"), paired("refused", REFUSED, CONFINED))
def test_what_cannot_be_taken_over_is_refused_by_its_path(
    place: Bench, name: str, level: str
) -> None:
    script, path = REFUSED[name]
    before = picture(place.workdir) | {"work.sh": ("file", 0o644, script.encode())}
    assert run_and_verify(place, level, script).summary.status == "FAIL"
    verdicts = json.loads(place.path("nodes/t/1.1/status.json").read_text())
    told = json.dumps(verdicts, ensure_ascii=False).replace("\\\\", "\\")
    assert path in told
    assert "limit_exceeded" not in told
    assert picture(place.path("workspace")) == before


@pytest.mark.req("G-29")
@pytest.mark.parametrize(("closed", "level"), paired("closed", ["folder", "file", "."], CONFINED))
def test_what_a_program_closes_ends_no_run(place: Bench, closed: str, level: str) -> None:
    """Root takes it over as it is; whoever cannot read it refuses it. Neither is stuck."""
    run_and_verify(place, level, f"chmod 000 {closed}")


KILLED = """
import os, sys
home, tests = sys.argv[1:]
sys.path[:0] = [tests]
from support.overlay import become_nobody
from custody import api


def run(runs):
    api.run(home + "/p.dot", workdir=home + "/source", runsdir=runs, run_id="r1", agent="stub",
            confinement="L3")


run(home + "/first")  # nobody may be unable to read what is loaded late
become_nobody()
os.environ |= {"HOME": home, "PATH": "/usr/bin:/bin"}
open(home + "/source/wait", "w").close()
run(home + "/runs")
"""
WAITING = """digraph p { start [shape=Mdiamond]; done [shape=Msquare]
i [type=tool, tool_command="sh cache.sh"]
t [type=tool, tool_command="sh work.sh"]
start -> i -> t -> done }
"""


@pytest.mark.req("G-29")
def test_the_owner_can_remove_what_a_killed_run_leaves(public: Path) -> None:
    (public / "source" / "folder").mkdir(parents=True)
    (public / "source" / "folder" / "file").touch()
    (public / "source" / "cache.sh").write_text(
        "mkdir -p $PIP_CACHE_DIR/a; echo > $PIP_CACHE_DIR/a/b"
    )
    (public / "source" / "work.sh").write_text(
        "rm -r folder; mkdir folder; echo x > folder/y; rm -r $PIP_CACHE_DIR; touch here\n"
        "test ! -e wait || sleep 100\n"
    )
    (public / "source").chmod(0o777)
    (public / "p.dot").write_text(WAITING)
    tests = str(Path(__file__).parents[1])
    run = subprocess.Popen([sys.executable, "-c", KILLED, str(public), tests])
    try:
        wait_until(lambda: bool(list(public.glob("runs/r1/layers/t/1.1/upper/here"))))
    finally:
        run.kill()
        run.wait()
    left = [
        *public.glob("runs/r1/layers/*/*/work/work"),
        *public.glob("runs/r1/cache/t*/work/work"),
    ]
    assert len(left) == 2

    def remove() -> str:
        become_nobody()
        done = subprocess.run(
            ["rm", "-rf", str(public / "runs" / "r1")], capture_output=True, text=True, check=False
        )
        return done.stderr

    assert in_child(remove) == ""
    assert not (public / "runs" / "r1").exists()


def wait_until(there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not there():
        assert time.monotonic() < deadline
        time.sleep(0.02)
