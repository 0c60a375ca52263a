"""What patterns exclude is what git would ignore by them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from custody import api
from custody.errors import MalformedDocument
from custody.model.event import PipelineStarted
from custody.store.root import Root
from custody.workspace.exclusion import IGNORE_FILE, Exclusion
from support.bench import Bench
from support.sweep import examples

PATTERNS = st.lists(
    st.sampled_from(
        ["*.log", "!keep.log", "build/", "/top", "a/b", "**/deep", "a/**", "!a/x", "x?", "[ab]",
         "\\#hash", "# comment", "", "dir/*", "!dir/in"]
    ),
    max_size=4,
)  # fmt: skip
NAMES = ("a", "b", "x1", "top", "build", "deep", "keep.log", "z.log", "#hash", "dir", "in")
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)


@pytest.mark.req("U-14")
@settings(
    max_examples=examples(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(PATTERNS, st.lists(PATHS, min_size=1, max_size=8, unique=True))
def test_as_git_does(
    tmp_path_factory: pytest.TempPathFactory, patterns: list[str], paths: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("repo")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / ".gitignore").write_text("\n".join(patterns) + "\n")
    done = subprocess.run(
        ["git", "-C", str(folder), "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths).encode(),
        capture_output=True,
        check=False,
    )
    ignored = {os.fsdecode(name) for name in done.stdout.split(b"\0") if name}
    exclusion = Exclusion.of(patterns)
    assert {path for path in paths if exclusion.covers(path, folder=False)} == ignored


def test_a_folder_and_what_is_in_it() -> None:
    exclusion = Exclusion.of(["build/"])
    assert exclusion.covers("build", folder=True)
    assert not exclusion.covers("build", folder=False)
    assert exclusion.covers("a/build/x", folder=False)
    assert not Exclusion.of([]).covers("x", folder=False)


def test_comments_and_empty_lines_are_no_patterns() -> None:
    assert Exclusion.of(["# x", "", "  ", "a\r\n"]).patterns == ("a",)


@pytest.mark.parametrize(("data", "code"), [(b"\xff\n", "encoding"), (b"!\n", "pattern")])
def test_a_wrong_file_is_told(data: bytes, code: str, tmp_path: Path) -> None:
    (tmp_path / IGNORE_FILE).write_bytes(data)
    with Root.open(str(tmp_path)) as root, pytest.raises(MalformedDocument) as told:
        Exclusion.for_source(root, ())
    assert told.value.code == code


@pytest.mark.req("U-14")
def test_a_run_records_what_it_was_not_shown_and_can_be_checked(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for name in ("app.py", "a.log", "keep.log", "node_modules/x/y.js", "lib/b.log"):
        (bench.workdir / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.workdir / name).write_text(name)
    (bench.workdir / IGNORE_FILE).write_text("# mine\n!keep.log\n")
    body = 'work [type=tool, tool_command="ls"]\nstart -> work -> done'
    run = bench.run(body, exclude=("*.log", "node_modules/"), confinement="L1").path
    workspace = Path(run) / "workspace"
    found = sorted(str(p.relative_to(workspace)) for p in workspace.rglob("*") if p.is_file())
    assert found == [IGNORE_FILE, "app.py", "keep.log"]
    first = bench.facts()[0]
    assert isinstance(first, PipelineStarted)
    assert first.workspace.excluded == ("*.log", "node_modules/", "!keep.log")
    assert api.verify(run).intact
    assert api.replay(run).status == "PASS"
    forked = api.fork(run, "work", runsdir=str(bench.runsdir), run_id="f1").path
    assert api.verify(forked).intact


def test_nothing_is_said_where_nothing_is_excluded(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    run = bench.run("start -> done").path
    assert b"excluded" not in (Path(run) / "manifest.json").read_bytes()
