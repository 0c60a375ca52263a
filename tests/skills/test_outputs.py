from __future__ import annotations

import glob as globbing
import os
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import PathRefused
from custody.model.skill.contract import RequiredOutput
from custody.model.skill.outputs import FoundOutput
from custody.skills import outputs
from custody.skills.outputs import find_output, matches_part
from custody.store.root import Root


def found(run: Path, glob: str) -> FoundOutput:
    with Root.open(str(run)) as root:
        return find_output(root, RequiredOutput(path=glob))


def paths(run: Path, glob: str) -> list[str]:
    return [file.path for file in found(run, glob).files]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a run directory with some reports, and something outside of them."""
    home = tmp_path / "run"
    for path, text in {
        "reports/a.rpt": "a",
        "reports/b.rpt": "",
        "reports/.hidden.rpt": "h",
        "reports/in/a.rpt": "aa",
        "reports/in/deep/a.rpt": "aaa",
        "reports/in/deep/b1.txt": "b",
        "ack/a.rpt": "outside",
    }.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text)
    return home


@pytest.mark.req("S-13")
@pytest.mark.parametrize(
    ("glob", "files"),
    [
        ("reports/a.rpt", ["reports/a.rpt"]),
        ("reports/*.rpt", ["reports/a.rpt", "reports/b.rpt"]),
        ("reports/?.rpt", ["reports/a.rpt", "reports/b.rpt"]),
        ("reports/[ac].rpt", ["reports/a.rpt"]),
        ("reports/in/*/b[0-9].txt", ["reports/in/deep/b1.txt"]),
        ("reports/.*.rpt", ["reports/.hidden.rpt"]),
        ("reports/**/a.rpt", ["reports/a.rpt", "reports/in/a.rpt", "reports/in/deep/a.rpt"]),
        ("reports/**/deep/*", ["reports/in/deep/a.rpt", "reports/in/deep/b1.txt"]),
        ("reports/in/**/*.rpt", ["reports/in/a.rpt", "reports/in/deep/a.rpt"]),
        ("reports/nothing*", []),
        ("reports/a.rpt/x", []),
    ],
)
def test_a_glob_finds_its_files(run: Path, glob: str, files: list[str]) -> None:
    assert paths(run, glob) == files


@pytest.mark.req("S-13")
def test_what_is_empty_is_counted(run: Path) -> None:
    one = found(run, "reports/*.rpt")
    assert (one.count, one.empty, one.broken_off) == (2, 1, "")
    assert [(file.path, file.size) for file in one.files] == [
        ("reports/a.rpt", 1),
        ("reports/b.rpt", 0),
    ]


@pytest.mark.req("S-12", "S-13")
def test_no_symlink_leads_out_and_none_is_a_file(run: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.rpt").write_text("secret")
    (run / "reports/out").symlink_to(tmp_path)
    (run / "reports/secret.rpt").symlink_to(tmp_path / "secret.rpt")
    (run / "reports/dead.rpt").symlink_to("nowhere")
    (run / "reports/again").symlink_to("in")
    os.mkfifo(run / "reports/pipe.rpt")
    (run / "reports/folder.rpt").mkdir()
    one = found(run, "reports/*.rpt")
    assert [file.path for file in one.files] == ["reports/a.rpt", "reports/b.rpt"]
    assert [(other.path, other.what) for other in one.not_taken] == [
        ("reports/dead.rpt", "symlink"),
        ("reports/folder.rpt", "folder"),
        ("reports/pipe.rpt", "special"),
        ("reports/secret.rpt", "symlink"),
    ]
    assert paths(run, "reports/out/*") == []
    assert paths(run, "reports/again/*") == []
    assert paths(run, "reports/**/secret.rpt") == []


@pytest.mark.req("S-12")
def test_reports_may_be_no_symlink_itself(tmp_path: Path, run: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "reports").symlink_to(run / "reports")
    one = found(other, "reports/a.rpt")
    assert one.count == 0
    assert one.broken_off


def test_nothing_is_found_where_there_are_no_reports(tmp_path: Path) -> None:
    one = found(tmp_path, "reports/*")
    assert (one.files, one.count, one.broken_off) == ((), 0, "")


def test_a_name_that_is_no_text_is_told(run: Path) -> None:
    (run / os.fsdecode(b"reports/\xff.rpt")).write_text("x")
    one = found(run, "reports/*.rpt")
    assert [(other.path, other.what) for other in one.not_taken] == [
        ("reports/\\udcff.rpt", "no UTF-8")
    ]


def test_looking_is_bounded(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "LOOKED_LIMIT", 3)
    one = found(run, "reports/**/*.rpt")
    assert one.broken_off == "more than 3 names"
    monkeypatch.undo()
    monkeypatch.setattr(outputs, "FILES_LIMIT", 1)
    one = found(run, "reports/**/*.rpt")
    assert ([file.path for file in one.files], one.count) == (["reports/a.rpt"], 4)


def test_folders_that_never_end_are_left(tmp_path: Path) -> None:
    (tmp_path / "/".join(["reports", *["d"] * 60])).mkdir(parents=True)
    assert found(tmp_path, "reports/**/x").broken_off == "more than 32 folders inside each other"


def test_a_folder_that_cannot_be_read_is_told(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_root: Root, path: str) -> Root:
        raise PathRefused("symlink", f"{path} was replaced meanwhile")

    with Root.open(str(run)) as root, root.sub("reports"):
        monkeypatch.setattr(Root, "sub", refuse)
        one = find_output(root, RequiredOutput(path="reports/*"))
    assert (one.count, one.broken_off) == (0, "reports was replaced meanwhile")


def test_a_glob_that_was_not_checked_is_refused(run: Path) -> None:
    with pytest.raises(PathRefused, match=r"a \.\. component"):
        found(run, "reports/../ack/*")


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("*", "", True),
        ("*", ".x", False),
        (".*", ".x", True),
        ("a*b*c", "aXbXbc", True),
        ("a*b*c", "aXcXb", False),
        ("[a-f0]?", "0x", True),
        ("[a-f0]?", "gx", False),
        ("[a-f0]", "-", False),
        ("a?", "a", False),
        ("?", "é", True),
        ("A", "a", False),
        ("*a" * 40 + "b", "a" * 4000, False),
    ],
)
def test_a_component_matches_a_name(pattern: str, name: str, *, fits: bool) -> None:
    assert matches_part(pattern, name) is fits


PARTS = st.lists(
    st.sampled_from(["*", "?", "[ab]", "[0-9]", "[a-f]", "[A-Z_.]", "a", "b", "_", "0", "."]),
    min_size=1,
    max_size=6,
).map("".join)
NAMES = st.text("ab_0c.AZ9", min_size=1, max_size=6)


@given(PARTS.filter(lambda part: "**" not in part), NAMES)
def test_a_component_matches_as_it_does_for_others(pattern: str, name: str) -> None:
    hidden = name.startswith(".") and not pattern.startswith(".")
    assert matches_part(pattern, name) == (fnmatchcase(name, pattern) and not hidden)


@pytest.mark.req("S-13")
@pytest.mark.parametrize(
    "glob",
    [
        "reports/*", "reports/**/*", "reports/*/*", "reports/**/a*", "reports/in/**/[ab]?*.txt",
        "reports/**/*.rpt", "reports/.*", "reports/*.rpt", "reports/in/**/deep/*", "reports/**/b*",
    ],
)  # fmt: skip
def test_a_glob_finds_what_python_and_bash_find(run: Path, glob: str) -> None:
    (run / "reports/in/.dotted").mkdir()
    (run / "reports/in/.dotted/a.rpt").write_text("a")
    mine = paths(run, glob)
    by_python = sorted(
        name for name in globbing.glob(glob, root_dir=run, recursive=True) if (run / name).is_file()
    )
    assert mine == by_python
    script = f'shopt -s globstar nullglob; for f in {glob}; do [ -f "$f" ] && echo "$f"; done; :'
    by_bash = subprocess.run(
        ["bash", "-c", script], cwd=run, capture_output=True, text=True, check=True,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
    ).stdout  # fmt: skip
    assert mine == sorted(by_bash.splitlines())
