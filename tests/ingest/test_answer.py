"""The document of an answer is ingested; whatever happens is told, and nothing is raised."""

from __future__ import annotations

import hashlib
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from custody.model.evidence import Evidence
from custody.model.ingest import Artifact
from custody.model.ingest_event import (
    IngestFailed,
    IngestWritten,
)
from custody.model.layout import INGEST_MANIFEST
from custody.model.request import Ack
from support.hostile import picture
from support.ingesting import GOOD, Desk, block, levels, told, verdicts

MANY = "".join(block(f"many/{number}", "x\n") for number in range(20))
"""More blocks than a manifest can have that the journal holds."""


@pytest.mark.req("I-03", "I-07")
def test_a_block_becomes_a_file_and_the_manifest_says_so(desk: Desk) -> None:
    done = desk.ingest(f"Here it is.\n\n{GOOD}\nDone.\n")
    data = b"x = 1\n"
    assert desk.files() == {"src/good.py": data}
    assert done.manifest.artifacts == (
        Artifact(
            index=0,
            lang="python",
            declared_file="src/good.py",
            workspace_path="workspace/src/good.py",
            bytes=6,
            sha256=hashlib.sha256(data).hexdigest(),
            status="written",
            reason="",
        ),
    )
    assert levels(done) == [("IngestWritten", "info")]


@pytest.mark.req("I-07")
def test_the_manifest_has_exactly_the_documented_fields(desk: Desk) -> None:
    done = desk.ingest(GOOD + block("../x") + "```\n```\n")
    assert done.evidence is not None
    assert done.evidence.path.endswith(f"/{INGEST_MANIFEST}")
    data = desk.run.read_evidence(done.evidence)
    assert hashlib.sha256(data).hexdigest() == done.evidence.sha256
    read = msgspec.json.decode(data)
    assert list(read) == [
        "version", "run_id", "node_id", "source", "artifacts", "summary", "ts",
    ]  # fmt: skip
    assert read["version"] == "1"
    assert (read["run_id"], read["node_id"]) == ("r1", "write")
    assert read["source"] == {
        "kind": "graph_runtime", "mode": "single", "doc_path": "docs/single_r1.md",
    }  # fmt: skip
    assert {tuple(artifact) for artifact in read["artifacts"]} == {
        ("index", "lang", "declared_file", "workspace_path", "bytes", "sha256", "status", "reason")
    }
    assert read["summary"] == {"total_blocks": 3, "written": 1, "skipped": 1, "rejected": 1}


def test_what_stood_there_is_kept_as_a_blob(desk: Desk) -> None:
    (desk.folder / "run.sh").write_bytes(b"old\n")
    (desk.folder / "run.sh").chmod(0o755)
    (note,) = told(desk.ingest(block("run.sh", "new\n")), IngestWritten).blocks
    assert desk.run.blobs.get(note.replaced) == b"old\n"
    assert desk.files() == {"run.sh": b"new\n"}
    assert (desk.folder / "run.sh").stat().st_mode & 0o777 == 0o755


@contextmanager
def no_space(limit: int) -> Iterator[None]:
    """Let every file that would be longer than ``limit`` fail, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.req("I-08")
class TestFailOpen:
    def test_a_full_disk(self, desk: Desk) -> None:
        stage = desk.stage()
        document = (block("a", "x" * 200 + "\n") + block("b", "fits\n") + MANY).encode()
        ack = desk.answer(document)
        with no_space(100):
            done = desk.ingest_answer(ack, stage)
        assert verdicts(done)[:2] == ["rejected:storage", "written"]
        assert desk.files()["b"] == b"fits\n"
        assert done.evidence is None
        assert levels(done) == [
            ("IngestWritten", "info"), ("IngestRejected", "error"), ("IngestFailed", "error"),
        ]  # fmt: skip
        assert [fact.error_type for fact in done.facts if isinstance(fact, IngestFailed)] == [
            "STORAGE_FAILED"
        ]

    def test_a_manifest_that_cannot_be_put_there(self, desk: Desk) -> None:
        stage = desk.stage()
        (Path(desk.run.path) / stage.folder.path / INGEST_MANIFEST).mkdir(parents=True)
        done = desk.ingest_answer(desk.answer((GOOD + MANY).encode()), stage)
        assert set(verdicts(done)) == {"written"}
        assert levels(done) == [("IngestWritten", "info"), ("IngestFailed", "error")]

    def test_a_manifest_that_cannot_be_said(self, desk: Desk) -> None:
        done = desk.ingest_answer(desk.answer(GOOD.encode(), "docs/\ud800.md"), desk.stage())
        assert desk.files() == {"src/good.py": b"x = 1\n"}
        assert levels(done) == [("IngestWritten", "info"), ("IngestFailed", "error")]

    def test_a_workspace_that_is_gone(self, desk: Desk) -> None:
        stage = desk.stage()
        desk.workspace.root.close()
        done = desk.ingest_answer(desk.answer(GOOD.encode()), stage)
        assert verdicts(done) == ["rejected:storage"]

    def test_a_document_that_is_lost(self, desk: Desk) -> None:
        lost = Evidence(path="docs/a.md", sha256="0" * 64, bytes=3)
        done = desk.ingest_answer(
            Ack(request_id="write/1.1", status="ok", evidence=(lost,)), desk.stage()
        )
        assert levels(done) == [("IngestFailed", "error")]
        assert done.ack.evidence == (lost,)


def test_an_answer_that_failed_is_left_as_it_is(desk: Desk) -> None:
    ack = replace(desk.answer(GOOD.encode()), status="failed")
    done = desk.ingest_answer(ack, desk.stage())
    assert (done.ack, done.facts, desk.files()) == (ack, (), {})


def test_an_answer_without_a_document_is_left_as_it_is(desk: Desk) -> None:
    ack = Ack(request_id="write/1.1", status="ok")
    done = desk.ingest_answer(ack, desk.stage())
    assert (done.ack, done.facts) == (ack, ())


paths = st.one_of(
    st.sampled_from(
        ["a", "b/c", "../x", "/tmp/x", "link/x", "link", "a/../../x", "..", ".", "C:x", "~", "b",
         "workspace/x", "B/C", ".git/config", "a/b/c/d", "-x", "con", "\ud800", "a\u0000b", "é"]
    ),
    st.text(max_size=12),
)  # fmt: skip
openings = st.builds(
    "{}{} {}{}{}".format,
    st.sampled_from(["```", "```", "````", "~~~", " ```", "> ```"]),
    st.sampled_from(["python", "json", "", "c++", "a!"]),
    st.sampled_from(["file=", "file=", "file=", "path=", ""]),
    paths,
    st.sampled_from(["\n", "\n", "\r\n", " x=y\n"]),
)
bodies = st.one_of(st.text(max_size=30), st.sampled_from(["x\n", "{}\n", "\0", "```\n", "`"]))
documents = st.lists(
    st.one_of(
        st.builds("{}{}\n{}\n".format, openings, bodies, st.sampled_from(["```", "````", "~~~"])),
        st.text(max_size=20),
    ),
    max_size=6,
).map(lambda parts: "".join(parts).encode("utf-8", "surrogatepass"))


@pytest.mark.req("I-06", "I-08")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=st.one_of(documents, st.binary(max_size=200)))
def test_no_input_writes_outside_or_raises(desk: Desk, document: bytes) -> None:
    outside = desk.home / "outside"
    outside.mkdir(exist_ok=True)
    if not (desk.folder / "link").exists():
        (desk.folder / "link").symlink_to(outside)
    before = picture(desk.home, leave_out=("runs",))
    done = desk.ingest(document)
    assert picture(desk.home, leave_out=("runs",)) == before
    assert set(os.listdir(desk.run.path)) <= {"workspace", "blobs", "nodes"}
    assert not [fact for fact in done.facts if isinstance(fact, IngestFailed)]
    summary = done.manifest.summary
    assert summary.total_blocks == summary.written + summary.skipped + summary.rejected
    for artifact in done.manifest.artifacts:
        assert (artifact.status == "written") is (artifact.reason == "")
        if artifact.status == "written":
            data = (desk.folder / artifact.declared_file).read_bytes()
            assert hashlib.sha256(data).hexdigest() == artifact.sha256


@pytest.mark.req("P-18")
def test_a_block_writes_nothing_that_was_hidden_from_its_stage(desk: Desk) -> None:
    stage = desk.stage()
    stage.sandbox.layers = desk.workspace.begin_stage("write/1.9", ("tests/hidden",))
    document = (block("tests/hidden/x") + block("tests/shown")).encode()
    done = desk.ingest_answer(desk.answer(document), stage)
    assert verdicts(done) == ["rejected:holdout", "written"]
    assert list(desk.files()) == ["tests/shown"]


def test_blocks_leave_room_on_the_disk_for_the_record(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("custody.ingest.answer.RESERVE", 1 << 62)
    assert verdicts(desk.ingest(GOOD)) == ["rejected:storage"]
    assert desk.files() == {}
