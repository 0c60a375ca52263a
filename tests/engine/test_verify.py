"""Whatever is changed in a run directory is found."""

from __future__ import annotations

import hashlib
import shutil
import stat
from pathlib import Path

import pytest

from custody import api
from support.bench import Bench

BODY = (
    'a [prompt="x"]\nt [type=tool, tool_command="sh make.sh"]\n'
    'w [type=write_file, output_path="docs/w.md", content="words"]\n'
    "start -> a -> t -> w -> done"
)
LONG = "line\n" * 2000


@pytest.fixture
def ended(bench: Bench) -> Bench:
    """Return a place with an ended run."""
    (bench.workdir / "make.sh").write_text(f"printf '{LONG}' > made.txt\ncat made.txt\n")
    bench.run(BODY)
    return bench


def codes(bench: Bench) -> set[str]:
    found = api.verify("r1", runsdir=str(bench.runsdir))
    return {mismatch.code for mismatch in found.mismatches}


def every_file(bench: Bench) -> list[Path]:
    return sorted(path for path in bench.path("").rglob("*") if path.is_file())


@pytest.mark.req("P-11")
def test_a_run_verifies(ended: Bench) -> None:
    found = api.verify("r1", runsdir=str(ended.runsdir))
    assert found.mismatches == ()
    assert found.status == "PASS"
    assert found.lines == len(ended.facts())
    assert found.evidence > 0
    assert found.blobs > 0


def test_every_changed_file_is_found(ended: Bench) -> None:
    missed = []
    for path in every_file(ended):
        if path.is_relative_to(ended.path("cache")):
            continue
        content, mode = path.read_bytes(), path.stat().st_mode
        path.chmod(mode | stat.S_IWUSR)  # whoever owns a file can do that
        path.write_bytes(content[:-2] + bytes([content[-2] ^ 1 if len(content) > 1 else 1]) + b"\n")
        if not codes(ended):
            missed.append(str(path))
        path.write_bytes(content)
        path.chmod(mode)
    assert missed == []
    assert codes(ended) == set()


def test_every_missing_file_is_found(ended: Bench) -> None:
    missed = []
    for path in every_file(ended):
        if path.is_relative_to(ended.path("cache")) or path.name == "events.jsonl":
            continue
        content, mode = path.read_bytes(), path.stat().st_mode
        path.unlink()
        if not codes(ended):
            missed.append(str(path))
        path.write_bytes(content)
        path.chmod(mode)
    assert missed == []


def test_a_planted_file_is_found(ended: Bench) -> None:
    ended.path("nodes/a/1.1/evidence.md").write_text("I was always here")
    assert codes(ended) == {"unclaimed"}


def test_a_changed_mode_in_the_workspace_is_found(ended: Bench) -> None:
    ended.path("workspace/made.txt").chmod(0o755)
    assert codes(ended) == {"workspace"}


def test_views_can_be_made_again_the_same_bytes(ended: Bench) -> None:
    views = ["manifest.json", "checkpoint.json", "summary.json", "summary.md", "trace.jsonl",
             "nodes/a/1.1/status.json", "nodes/a/1.1/prompt.md", "nodes/a/1.1/response.md",
             "docs/w.md"]  # fmt: skip
    before = {name: ended.path(name).read_bytes() for name in views}
    for name in views:
        ended.path(name).unlink()
    assert codes(ended)
    found = api.verify("r1", runsdir=str(ended.runsdir), rebuild=True)
    assert found.mismatches == ()
    assert before == {name: ended.path(name).read_bytes() for name in views}


def test_what_the_journal_does_not_hold_is_not_made_up(ended: Bench) -> None:
    ended.path("nodes/t/1.1/tool.stdout.log").unlink()
    found = api.verify("r1", runsdir=str(ended.runsdir), rebuild=True)
    assert {mismatch.where for mismatch in found.mismatches} == {"nodes/t/1.1/tool.stdout.log"}


def test_a_cut_journal_is_found(ended: Bench) -> None:
    journal = ended.path("events.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-2]))
    assert codes(ended) == {"head_mismatch"}


def test_the_journal_of_another_run_is_found(ended: Bench) -> None:
    ended.run(BODY, run_id="r2")
    shutil.copy(ended.path("events.jsonl", "r2"), ended.path("events.jsonl"))
    assert "job_mismatch" in codes(ended)


def test_a_run_directory_can_be_read_elsewhere(ended: Bench, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere" / "r1"
    shutil.copytree(ended.path(""), elsewhere, symlinks=True)
    assert api.verify(str(elsewhere)).mismatches == ()


@pytest.mark.req("G-14")
def test_a_directory_with_another_name_is_told(ended: Bench) -> None:
    ended.path("").rename(ended.path("", "r2"))
    found = api.verify("r2", runsdir=str(ended.runsdir))
    assert [(one.code, one.what) for one in found.mismatches] == [
        ("name", "the directory is called 'r2', its run 'r1'")
    ]
    (ended.runsdir / "r1").symlink_to("r2")
    assert [one.code for one in api.verify(str(ended.path(""))).mismatches] == ["name"]


@pytest.mark.req("G-14")
@pytest.mark.parametrize(
    "planted", [".tmp.1.2", "nodes/.tmp.9.9", "blobs/junk", "blobs/ab/junk",
                f"blobs/aa/{'ab' * 32}", "extra/deep/file", "inbox/x.md"]
)  # fmt: skip
def test_nothing_is_there_that_the_record_does_not_know(ended: Bench, planted: str) -> None:
    path = ended.path(planted)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("I was always here")
    found = api.verify("r1", runsdir=str(ended.runsdir))
    assert [(one.code, one.where) for one in found.mismatches] == [("unclaimed", planted)]


@pytest.mark.req("G-14")
def test_what_may_be_there_is_named_all_the_same(ended: Bench) -> None:
    assert set(api.verify("r1", runsdir=str(ended.runsdir)).unknown) <= {"cache/"}
    content = b"nobody asked for it"
    sha256 = hashlib.sha256(content).hexdigest()
    blob = f"blobs/{sha256[:2]}/{sha256}"
    planted = [blob, "docs/w.md.lost.1", "session/x/1/box/ack", "homes/claude/key"]
    for name in planted:
        ended.path(name).parent.mkdir(parents=True, exist_ok=True)
        ended.path(name).write_bytes(content)
    ended.path("nodes/a/9.9").mkdir()
    found = api.verify("r1", runsdir=str(ended.runsdir))
    assert found.intact
    assert {*found.unknown} - {"cache/"} == {
        blob, "docs/w.md.lost.1", "session/", "homes/", "nodes/a/9.9/"
    }  # fmt: skip
