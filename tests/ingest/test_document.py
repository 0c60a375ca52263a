"""What became of a document's blocks: the manifest has all of them, the facts tell of the first."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from custody.checks.guards.secrets import Redactor
from custody.errors import Interrupted
from custody.ingest.document import NOTES, Ingested, failure_fact, ingest
from custody.ingest.standalone import NewFiles
from custody.model.ingest import IngestLimits, IngestSource
from custody.model.ingest_event import IngestSkipped
from custody.model.record import encode
from custody.model.relpath import RelPath
from custody.store.root import Root
from support.ingesting import GOOD, Desk, block, levels, told


class Breaks(NewFiles):
    """A folder that cannot take one of the files."""

    def __init__(self, root: Root, error: BaseException) -> None:
        super().__init__(root)
        self._error = error

    def put(self, path: RelPath, content: bytes) -> str:
        if str(path) == "broken":
            raise self._error
        return super().put(path, content)


def ingest_into(folder: Path, document: str, error: BaseException) -> Ingested:
    with Root.open(str(folder)) as root:
        return ingest(
            document.encode(),
            Breaks(root, error),
            source=IngestSource(kind="cli", doc_path="a.md"),
            redactor=Redactor({"KEY": "tr0ub4dor-and-3"}),
            limits=IngestLimits(),
        )


@pytest.mark.req("I-08")
def test_what_nobody_thought_of_is_told_with_what_was_done_before(tmp_path: Path) -> None:
    document = GOOD + block("broken") + block("after")
    done = ingest_into(tmp_path, document, RuntimeError("tr0ub4dor-and-3"))
    assert [artifact.declared_file for artifact in done.manifest.artifacts] == ["src/good.py"]
    assert done.failures == ("RuntimeError('[redacted:KEY]')",)
    assert not (tmp_path / "after").exists()


def test_an_interruption_passes(tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        ingest_into(tmp_path, block("broken"), Interrupted("stop"))


def test_a_failure_has_the_type_of_its_error() -> None:
    fact = failure_fact(ValueError("x"), "write", "docs/a.md", Redactor({}))
    assert (fact.node, fact.doc_path) == ("write", "docs/a.md")
    assert (fact.error_type, fact.reason) == ("ValueError", "ValueError('x')")


@pytest.mark.req("I-08")
def test_nothing_to_ingest_is_a_warning(desk: Desk) -> None:
    done = desk.ingest("Nothing here.\n")
    assert levels(done) == [("IngestSkipped", "warning")]
    assert told(done, IngestSkipped).count == 0
    assert done.manifest.summary.total_blocks == 0


@pytest.mark.req("I-08")
def test_each_kind_of_ending_has_its_event_and_level(desk: Desk) -> None:
    done = desk.ingest(GOOD + "```python\nx\n```\n" + block("../x"))
    assert levels(done) == [
        ("IngestWritten", "info"), ("IngestSkipped", "warning"), ("IngestRejected", "error"),
    ]  # fmt: skip
    for fact in done.facts:
        assert fact.traits.decision is False
        assert msgspec.json.decode(encode(fact), type=type(fact)) == fact


def test_an_event_tells_of_so_many_blocks_and_the_manifest_of_all(desk: Desk) -> None:
    done = desk.ingest("```python\nx\n```\n" * (NOTES + 5))
    skipped = told(done, IngestSkipped)
    assert (skipped.count, len(skipped.blocks)) == (NOTES + 5, NOTES)
    assert len(done.manifest.artifacts) == NOTES + 5
