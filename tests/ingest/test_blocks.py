"""The blocks of a document become files, each judged on its own."""

from __future__ import annotations

import hashlib
import os

import pytest

from custody.model.ingest import (
    IngestLimits,
)
from custody.model.ingest_event import (
    IngestRejected,
)
from custody.model.record import encode
from support.hostile import picture
from support.ingesting import GOOD, Desk, block, levels, told, verdicts


@pytest.mark.req("I-06")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../evil.py", "traversal"),
        ("a/../../evil.py", "traversal"),
        ("/etc/passwd", "absolute"),
        ("C:\\x.py", "drive"),
        ("C:x.py", "drive"),
        ("a\\b.py", "backslash"),
        ("~/x", "tilde"),
        ("./a.py", "noncanonical"),
        (".git/hooks/post-commit", "denied"),
        (".bashrc", "denied"),
        (".env", "secret_file"),
        ("link/evil.py", "symlink"),
        ("link", "symlink"),
        ("folder", "not_regular"),
        ("file/x", "not_directory"),
        ("FILE", "case_collision"),
    ],
)
def test_an_unsafe_path_is_rejected_and_the_others_go_on(desk: Desk, path: str, code: str) -> None:
    (desk.folder / "link").symlink_to(desk.home)
    (desk.folder / "folder").mkdir()
    (desk.folder / "file").write_text("mine")
    before = picture(desk.home, leave_out=("runs",))
    done = desk.ingest(block(path) + GOOD)
    assert verdicts(done) == [f"rejected:{code}", "written"]
    assert levels(done) == [("IngestWritten", "info"), ("IngestRejected", "error")]
    assert picture(desk.home, leave_out=("runs",)) == before
    assert set(desk.files()) == {"file", "src/good.py"}
    (note,) = told(done, IngestRejected).blocks
    assert (note.index, note.line, note.file, note.reason) == (0, 1, path, code)
    assert done.manifest.artifacts[0].workspace_path == ""


@pytest.mark.req("I-06")
@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ("a.py", "a.py", "duplicate"),
        ("a.py", "A.py", "case_collision"),
        ("src/a", "SRC/b", "case_collision"),
        ("straße", "STRASSE", "case_collision"),
        ("a", "a/b", "prefix_conflict"),
        ("a/b/c", "a/b", "prefix_conflict"),
    ],
)
def test_of_two_blocks_for_one_name_the_second_is_rejected(
    desk: Desk, first: str, second: str, code: str
) -> None:
    done = desk.ingest(block(first, "1\n") + block(second, "2\n"))
    assert verdicts(done) == ["written", f"rejected:{code}"]
    assert desk.files() == {first: b"1\n"}


def test_a_name_is_claimed_by_a_block_that_was_rejected(desk: Desk) -> None:
    done = desk.ingest(block("a", "\0\n") + block("a", "fine\n"))
    assert verdicts(done) == ["rejected:binary", "rejected:duplicate"]


def test_limits(desk: Desk) -> None:
    limits = IngestLimits(files=2, file_bytes=8, total_bytes=12, blocks=5)
    document = (
        block("a", "12345678\n") + block("b", "1234567\n") + block("c", "12345\n")
        + block("d", "123\n") + block("e", "") + block("f", "") + block("g", "")
    )  # fmt: skip
    assert verdicts(desk.ingest(document, limits)) == [
        "rejected:too_large", "written", "rejected:too_large", "written", "rejected:too_many",
        "rejected:too_many",
    ]  # fmt: skip
    assert set(desk.files()) == {"b", "d"}


def test_an_empty_file_has_the_hash_of_nothing(desk: Desk) -> None:
    (artifact,) = desk.ingest(block("a", "")).manifest.artifacts
    assert (artifact.bytes, artifact.sha256) == (0, hashlib.sha256(b"").hexdigest())


def test_the_bytes_are_written_as_they_are(desk: Desk) -> None:
    desk.ingest(b"```text file=a\r\n\xff\r\n\x0b \n```\r\n")
    assert desk.files() == {"a": b"\xff\r\n\x0b \n"}


def test_a_second_name_of_a_file_outside_is_left_alone(desk: Desk) -> None:
    outside = desk.home / "outside"
    outside.write_text("mine")
    os.link(outside, desk.folder / "a")
    assert verdicts(desk.ingest(block("a"))) == ["rejected:hardlink"]
    assert outside.read_text() == "mine"


def test_a_workspace_prefix_is_taken_as_written(desk: Desk) -> None:
    done = desk.ingest(block("workspace/a.txt"))
    assert done.manifest.artifacts[0].workspace_path == "workspace/workspace/a.txt"
    assert levels(done) == [("IngestWritten", "info")]


@pytest.mark.req("I-09")
@pytest.mark.parametrize(
    "document",
    [
        block("a", "key = tr0ub4dor-and-3\n"),
        block("tr0ub4dor-and-3.txt"),
        block("a", "[redacted:API_KEY]\n"),
        "```tr0ub4dor-and-3 file=../a\nx\n```\n",
        "```text file=tr0ub4dor-and-3 x\nx\n```\n",
        "```tr0ub4dor-and-3\nx\n```\n",
        block("../tr0ub4dor-and-3"),
    ],
)
def test_no_secret_is_told(desk: Desk, document: str) -> None:
    done = desk.ingest(document, known={"API_KEY": "tr0ub4dor-and-3"})
    (artifact,) = done.manifest.artifacts
    assert artifact.status != "written"
    assert desk.files() == {}
    assert b"tr0ub4dor" not in encode(done.manifest)
    assert b"tr0ub4dor" not in b"".join(encode(fact) for fact in done.facts)
