"""A statement says what its packet is about, by hash, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from custody.errors import MalformedDocument
from custody.evidence.statement import PREDICATE_TYPE, last_line, read_statement, statement_of
from custody.model.packet import Cited, Claim, Packet


def cited(name: str, sha256: str) -> Cited:
    return Cited(
        artifact_uri=f"memory://docs/{name}/{sha256}", sha256=sha256, source_id=f"r1:{name}",
        source_type="docs", kind="document", excerpt="",
    )  # fmt: skip


CLAIM = Claim(
    id="a", kind="gate", result="passed", claim="it passed",
    evidence=(cited("b", "b" * 64), cited("a", "a" * 64), cited("b", "b" * 64)),
    reasoning=(), risk_and_next_steps=(), verification=(),
)  # fmt: skip
PACKET = Packet(title="p", run_id="r1", status="PASS", head="c" * 64, claims=(CLAIM,), left_out={})


def changed(**fields: Any) -> bytes:
    return json.dumps(json.loads(statement_of(PACKET)) | fields).encode()


@pytest.mark.req("E-01")
def test_it_is_an_in_toto_statement_about_head_and_artifacts() -> None:
    statement = json.loads(statement_of(PACKET))
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == PREDICATE_TYPE
    assert [(one["name"], one["digest"]) for one in statement["subject"]] == [
        (last_line("r1"), {"sha256": "c" * 64}),
        ("r1:a", {"sha256": "a" * 64}),
        ("r1:b", {"sha256": "b" * 64}),
    ]
    assert read_statement(statement_of(PACKET), where="s") == PACKET


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (changed(_type="https://in-toto.io/Statement/v0.1"), "type"),
        (changed(predicateType="https://slsa.dev/provenance/v1"), "type"),
        (changed(subject=[]), "subject"),
        (changed(subject=[{"name": "r1:a", "digest": {"sha256": "a" * 64}}]), "subject"),
        (changed(subject=[{"name": "r1:a", "digest": {"md5": "a" * 32}}]), "type"),
        (changed(more=1), "type"),
        (statement_of(replace(PACKET, head="d" * 64)).replace(b'"head":"d', b'"head":"e'),
         "subject"),
        (statement_of(PACKET) + b" x", "json"),
    ],
)  # fmt: skip
def test_one_that_contradicts_itself_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(MalformedDocument) as caught:
        read_statement(data, where="s")
    assert caught.value.code == code
