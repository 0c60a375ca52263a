"""Documents: an empty response is none."""

from __future__ import annotations

import pytest

from custody.checks.gates.document import DocumentGate
from support.cases import case


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_a_blank_response_is_no_document(text: str) -> None:
    (verdict,) = DocumentGate().judge(case({"response.md": text}))
    assert verdict.reason == "the response is empty, so there is no document"


def test_a_missing_response_is_no_document() -> None:
    assert [verdict.code for verdict in DocumentGate().judge(case())] == ["empty"]


def test_a_text_is_a_document() -> None:
    assert list(DocumentGate().judge(case({"response.md": "# Yes\n"}))) == []
    assert DocumentGate().applies(case(status="partial"))
    assert not DocumentGate().applies(case(status="failed"))
