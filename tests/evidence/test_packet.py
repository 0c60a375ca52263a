"""A packet as a page, and as it comes from a file."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from custody.errors import MalformedDocument
from custody.evidence.packet import packet_page, read_packet
from custody.model.packet import Cited, Claim, Packet, Reason, Repeat
from custody.model.record import encode_pretty

CITED = Cited(
    artifact_uri=f"memory://docs/nodes/a/1.1/tool.stdout.log/{'0' * 64}",
    sha256="0" * 64,
    source_id="r1:nodes/a/1.1/tool.stdout.log",
    source_type="docs",
    kind="log",
    excerpt="it said\n```\nthis\n",
    bytes=(10, 27),
    lines=(2, 4),
)
CLAIM = Claim(
    id="gate:a/1.1:exit_code",
    kind="gate",
    result="failed",
    claim="gate exit_code failed at a/1.1: <b>no</b>",
    evidence=(CITED,),
    reasoning=(Reason(seq=7, event="GateFailed", says="exit_code: it ended with 1"),),
    risk_and_next_steps=("nobody handled the failure",),
    verification=(Repeat(command="custody replay r1", passes="it says `agreed`"),),
    evidence_left_out=2,
)
PACKET = Packet(
    title="p", run_id="r1", status="FAIL", head="1" * 64, claims=(CLAIM,), left_out={"made": 3}
)


def page(packet: Packet) -> str:
    return b"".join(packet_page(packet)).decode()


@pytest.mark.req("E-01")
def test_it_has_the_five_parts() -> None:
    fields = ("claim", "evidence", "reasoning", "risk_and_next_steps", "verification")
    assert set(fields) <= set(Claim.__struct_fields__)
    shown = page(PACKET)
    headings = ("## gate", "### Evidence", "### Reasoning", "### Risk and next", "### Verification")
    assert sorted(headings, key=shown.index) == list(headings)
    for part in (CITED.artifact_uri, "lines 2 to 4", "line 7, GateFailed", "custody replay r1"):
        assert part in shown
    assert "And 2 more in the record." in shown
    assert shown.endswith("Left out: 3 made.\n")


def test_an_excerpt_cannot_end_its_fence_nor_a_name_be_a_mark() -> None:
    shown = page(PACKET)
    assert "  ````text\n  it said\n  ```\n  this\n  ````\n" in shown
    assert r"\<b\>no" in shown
    assert "failed at a/1.1: <b>" not in shown


def test_what_is_cited_twice_is_quoted_once() -> None:
    twice = replace(PACKET, claims=(CLAIM, replace(CLAIM, id="stage:a/1.1")))
    assert page(twice).count("it said") == 1
    assert page(twice).count("quoted above") == 1


@pytest.mark.req("E-04")
def test_what_came_of_a_check_stands_beside_it() -> None:
    checked = replace(CITED, status="invalid", reason="gone: there is no such file")
    marked = replace(PACKET, claims=(replace(CLAIM, evidence=(checked,)),))
    assert "  invalid: gone: there is no such file\n" in page(marked)
    assert read_packet(encode_pretty(marked), where="p") == marked


@pytest.mark.req("E-01")
@pytest.mark.parametrize(
    "change",
    [
        (b'"sha256": "0', b'"sha256": "G'),
        (b'"kind": "gate"', b'"kind": "belief"'),
        (b'"title": "p"', b'"title": "p", "title": "q"'),
        (b'"title": "p"', b'"title": "p", "proven": true'),
        (b"it said", b"it said" * 300),
    ],
)
def test_a_packet_that_is_none_is_refused(change: tuple[bytes, bytes]) -> None:
    data = encode_pretty(PACKET)
    assert read_packet(data, where="p") == PACKET
    with pytest.raises(MalformedDocument):
        read_packet(data.replace(*change), where="p")
