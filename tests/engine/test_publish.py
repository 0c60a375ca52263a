"""What a run made goes into a folder of the user's; nothing there is lost."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from custody import api
from custody.errors import Refused, RunError
from custody.workspace.rights import ACCESS_LIST
from support.access_lists import access_list
from support.bench import Bench

WRITE = """
work [prompt="x"]
report [type=write_file, output_path="docs/report.md", content="all done"]
start -> work -> report -> done
"""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    (made.workdir / "app.py").write_text("old\n")
    (made.workdir / "gone.txt").write_text("gone\n")
    return made


def edited(bench: Bench, *edits: dict[str, Any], body: str = WRITE) -> str:
    """Run a pipeline whose agent makes these edits; return the run directory."""
    book = bench.home / "book.json"
    book.write_text(json.dumps({"nodes": {"work": [{"text": "x", "edits": edits}]}}))
    return bench.run(body, agent=f"fake:{book}").path


@pytest.fixture
def run(bench: Bench) -> str:
    return edited(
        bench,
        {"path": "app.py", "content": "new\n"},
        {"path": "bin/tool", "content": "#!/bin/sh\n", "executable": True},
        {"path": "gone.txt", "content": None},
    )


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


NEW = {"app.py": "new\n", "bin/tool": "#!/bin/sh\n", "docs/report.md": "all done"}


def test_into_a_new_folder(run: str, tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"
    done = api.publish(run, str(out))
    assert contents(out) == NEW
    assert (done.written, done.unchanged, done.kept) == (tuple(sorted(NEW)), (), ("gone.txt",))
    assert (out / "bin/tool").stat().st_mode & 0o111
    assert not (out / "app.py").stat().st_mode & 0o111


def test_back_into_the_source_and_again(run: str, bench: Bench) -> None:
    api.publish(run, str(bench.workdir))
    assert contents(bench.workdir) == {**NEW, "gone.txt": "gone\n"}
    before = (bench.workdir / "app.py").stat().st_ino
    again = api.publish(run, str(bench.workdir))
    assert (again.written, again.unchanged) == ((), tuple(sorted(NEW)))
    assert (bench.workdir / "app.py").stat().st_ino == before


def test_what_was_broken_off_is_finished(run: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "bin").mkdir(parents=True)
    (out / "bin/tool").write_text("#!/bin/sh\n")
    assert "bin/tool" in api.publish(run, str(out)).written  # it was not executable
    assert contents(out) == NEW
    assert (out / "bin/tool").stat().st_mode & 0o111


def _write(path: Path) -> None:
    path.write_text("mine\n")


def _link(path: Path) -> None:
    path.symlink_to("elsewhere")


def _folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("put", [_write, _link, _folder])
@pytest.mark.parametrize("name", ["app.py", "docs/report.md"])
def test_what_the_run_has_not_read_stays(run: str, tmp_path: Path, name: str, put: Any) -> None:
    out = tmp_path / "out"
    (out / name).parent.mkdir(parents=True)
    put(out / name)
    before = contents(out)
    with pytest.raises(Refused, match=name) as caught:
        api.publish(run, str(out))
    assert caught.value.code == "publish"
    assert contents(out) == before


def test_a_folder_that_leads_elsewhere_is_not_entered(run: str, tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.mkdir()
    (out / "docs").symlink_to(elsewhere)
    with pytest.raises(Refused, match=r"docs/report\.md"):
        api.publish(run, str(out))
    assert contents(elsewhere) == {}
    assert not (out / "app.py").exists()


def test_names_that_differ_in_case_alone_are_refused(run: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "APP.py").write_text("mine\n")
    with pytest.raises(Refused, match=r"app\.py"):
        api.publish(run, str(out))
    assert contents(out) == {"APP.py": "mine\n"}


def test_a_document_and_a_file_of_one_name(bench: Bench, tmp_path: Path) -> None:
    run = edited(bench, {"path": "docs/report.md", "content": "another\n"})
    with pytest.raises(Refused, match="both have it"):
        api.publish(run, str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_run_that_failed_is_not_published(bench: Bench, tmp_path: Path) -> None:
    run = bench.run('work [prompt="x", test.outcome=fail]\nstart -> work -> done').path
    with pytest.raises(RunError, match="did not pass"):
        api.publish(run, str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_run_is_not_published_into_itself(run: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(f"{run}/workspace")
    for folder in (run, f"{run}/workspace", str(tmp_path / "link" / "new")):
        with pytest.raises(Refused, match="into its own directory"):
            api.publish(run, folder)


@pytest.mark.req("G-03")
def test_nobody_can_read_a_published_file_who_could_not_before(bench: Bench) -> None:
    (bench.workdir / "app.py").chmod(0o600)
    (bench.workdir / "own.sh").write_text("old\n")
    (bench.workdir / "own.sh").chmod(0o4700)
    run = edited(
        bench,
        {"path": "app.py", "content": "new\n"},
        {"path": "own.sh", "content": "new\n", "executable": True},
    )
    api.publish(run, str(bench.workdir))
    modes = [stat.S_IMODE((bench.workdir / name).stat().st_mode) for name in ("app.py", "own.sh")]
    assert modes == [0o600, 0o700]
    out = bench.home / "out"
    api.publish(run, str(out))
    assert stat.S_IMODE((out / "app.py").stat().st_mode) == 0o600


@pytest.mark.req("G-03")
def test_a_published_file_keeps_the_access_list_of_the_one_before(bench: Bench) -> None:
    app = bench.workdir / "app.py"
    access_list(app, owner=6, named=6, group=0, mask=6, others=0)
    before = os.getxattr(app, ACCESS_LIST)
    api.publish(edited(bench, {"path": "app.py", "content": "new\n"}), str(bench.workdir))
    assert app.read_text() == "new\n"
    assert (os.getxattr(app, ACCESS_LIST), stat.S_IMODE(app.stat().st_mode)) == (before, 0o660)


def test_what_is_no_plain_file_is_not_published(bench: Bench) -> None:
    path = edited(bench, {"path": "link", "symlink": "app.py"})
    with pytest.raises(Refused, match="link: it is no plain file"):
        api.publish(path, str(bench.home / "out"))
