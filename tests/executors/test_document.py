"""A document is written whole or not at all, and what it held can always be read again."""

from __future__ import annotations

import pytest

from custody.executors.document import DocumentExecutor, with_document, write_document
from custody.model.evidence import INLINE_LIMIT, Evidence
from custody.model.request import Ack, AckStatus, WriteRequest
from support.stages import StageSite, agent_request, named, tool_request

LONG = "x" * (INLINE_LIMIT + 1)


def test_a_short_text_travels_with_its_evidence(place: StageSite) -> None:
    evidence = write_document(place.run, "docs/a.md", "é".encode())
    assert evidence == Evidence.of_text("docs/a.md", "é")
    assert place.run.root.read("docs/a.md") == "é".encode()
    assert not place.run.blobs.has(evidence.sha256)


def test_a_long_text_is_kept_beside_the_file(place: StageSite) -> None:
    first = write_document(place.run, "docs/a.md", LONG.encode())
    assert first.text is None
    write_document(place.run, "docs/a.md", b"another")
    assert place.run.document(first) == LONG.encode()


def test_the_text_of_a_request_is_written(place: StageSite) -> None:
    document = Evidence.of_text("docs/a.md", LONG)
    request = WriteRequest(id="n/1.1", timeout=1, document=document)
    ack = DocumentExecutor().execute(request, place.stage())
    assert (ack.status, ack.notes) == ("ok", "wrote docs/a.md")
    assert place.run.root.read("docs/a.md") == LONG.encode()
    assert len(ack.evidence) == 2


def answered(place: StageSite, text: str, status: AckStatus = "ok") -> Ack:
    response = place.stage().folder.write("response.md", text)
    return Ack(request_id="n/1.1", status=status, evidence=(response,))


def test_a_response_becomes_a_document(place: StageSite) -> None:
    request = agent_request(output_path="docs/a.md")
    ack = with_document(request, answered(place, "text\n"), place.run)
    assert ack.status == "ok"
    assert place.read(named(ack.evidence)["a.md"]) == "text\n"


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_response_is_no_document(place: StageSite, text: str) -> None:
    request = agent_request(output_path="docs/a.md")
    ack = with_document(request, answered(place, text), place.run)
    assert (ack.status, "empty" in ack.failure_reason) == ("failed", True)
    assert not place.run.root.exists("docs/a.md")


def test_nothing_is_written_where_none_was_asked_for_or_the_work_failed(place: StageSite) -> None:
    failed = answered(place, "text", "failed")
    assert with_document(agent_request(output_path="docs/a.md"), failed, place.run) is failed
    good = answered(place, "text")
    assert with_document(agent_request(), good, place.run) is good
    assert with_document(tool_request("true"), good, place.run) is good
    assert not place.run.root.exists("docs")
