"""Files of a run that a crash left spoiled, missing, or where they do not belong."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.engine.repair import put_back_documents, put_back_texts
from custody.errors import BlobDamaged
from custody.executors.document import write_document
from custody.model.event import RequestAnswered, StageCompleted
from custody.model.evidence import INLINE_LIMIT, Evidence
from custody.model.request import Ack
from custody.store.rundir import RunDirectory
from support.facts import sample

PROMPT = Evidence.of_text("nodes/a/1.1/prompt.md", "Do it.\n")
DIFF = Evidence.of_text("nodes/a/1.1/workspace.diff.json", "{}")


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.create(str(tmp_path), "r1")


def answered(*evidence: Evidence) -> RequestAnswered:
    ack = Ack(request_id="a/1.1", status="ok", evidence=evidence)
    return RequestAnswered(node="a", ack=ack, diff=DIFF)


@pytest.mark.parametrize("found", [None, b"", b"Do it?\n", b"Do it.\n"])
def test_short_files_of_attempts_are_made_whole(run: RunDirectory, found: bytes | None) -> None:
    if found is not None:
        run.root.write(PROMPT.path, found)
    put_back_texts(run, answered(PROMPT))
    assert run.root.read(PROMPT.path) == b"Do it.\n"
    assert run.root.read(DIFF.path) == b"{}"


def test_whole_ones_are_not_written_again(run: RunDirectory) -> None:
    put_back_texts(run, answered(PROMPT))
    before = run.root.stat(PROMPT.path).st_ino
    put_back_texts(run, answered(PROMPT))
    assert run.root.stat(PROMPT.path).st_ino == before


def test_long_files_and_documents_are_left_to_others(run: RunDirectory) -> None:
    long = Evidence(path="nodes/a/1.1/response.md", sha256="0" * 64, bytes=9999)
    document = Evidence.of_text("docs/a.md", "text")
    put_back_texts(run, answered(long, document))
    put_back_texts(run, sample(StageCompleted))
    assert not run.root.exists(long.path)
    assert not run.root.exists(document.path)


@pytest.mark.parametrize("text", ["short", "long" * INLINE_LIMIT])
def test_a_document_is_what_was_written_last(run: RunDirectory, text: str) -> None:
    written = write_document(run, "docs/a.md", text.encode())
    run.root.write("docs/a.md", b"of an answer that was never recorded")
    put_back_documents(run, {written.path: written})
    assert run.root.read("docs/a.md") == text.encode()
    assert run.root.read("docs/a.md.lost.1") == b"of an answer that was never recorded"
    run.root.remove("docs/a.md")
    put_back_documents(run, {written.path: written})
    assert run.root.names("docs") == ["a.md", "a.md.lost.1"]
    assert run.root.read("docs/a.md") == text.encode()


def test_one_that_no_stage_has_written_is_set_aside(run: RunDirectory) -> None:
    run.root.write("audits/x.md", b"x")
    put_back_documents(run, {})
    put_back_documents(run, {})
    assert run.root.names("audits") == ["x.md.lost.1"]


def test_one_whose_text_is_lost_is_told(run: RunDirectory) -> None:
    lost = Evidence(path="docs/a.md", sha256="0" * 64, bytes=9999)
    with pytest.raises(BlobDamaged):
        put_back_documents(run, {lost.path: lost})
