"""A packet as people read it, and as it comes from a file."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from msgspec import UNSET

from custody.model.packet import Cited, Claim, Packet
from custody.model.record import decode
from custody.patterns import later

_TICKS = later(r"`+")
_MARKS = later(r"([\\`*_{}\[\]<>#|])")


def read_packet(data: bytes, *, where: str) -> Packet:
    """Return the packet that a file holds; raises `MalformedDocument`."""
    return decode(data, Packet, where=where)


def packet_page(packet: Packet) -> Iterator[bytes]:
    """Yield a packet as Markdown, a claim at a time."""
    yield _joined(_beginning(packet))
    quoted: set[Cited] = set()
    for claim in packet.claims:
        yield _joined(_claim(claim, quoted))
        quoted.update(claim.evidence)
    left_out = [f"{number} {kind}" for kind, number in packet.left_out.items() if number]
    if left_out:
        yield _joined([f"Left out: {', '.join(left_out)}."])


def _beginning(packet: Packet) -> Iterator[str]:
    yield f"# Evidence: {_plain(packet.title)}"
    yield ""
    if packet.run_id:
        yield f"Run `{packet.run_id}` ended {packet.status}; the head of its journal is"
        yield f"`{packet.head}`."
        yield ""
    yield "An excerpt was found verbatim where its uri points. Whether it supports the claim is"
    yield "for the reader to judge."
    yield ""


def _claim(claim: Claim, quoted: AbstractSet[Cited]) -> Iterator[str]:
    yield f"## {_plain(claim.claim)}"
    yield ""
    yield f"{claim.result}, `{claim.id}`"
    yield ""
    yield "### Evidence"
    yield ""
    for cited in claim.evidence:
        yield from _cited(cited, again=cited in quoted)
    if claim.evidence_left_out:
        yield f"And {claim.evidence_left_out} more in the record."
        yield ""
    yield "### Reasoning"
    yield ""
    if claim.argument:
        yield _plain(claim.argument)
    if claim.argument and claim.reasoning:
        yield ""
    yield from (
        f"- line {reason.seq}, {reason.event}: {_plain(reason.says)}" for reason in claim.reasoning
    )
    yield from ("", "### Risk and next steps", "")
    yield from (f"- {step}" for step in claim.risk_and_next_steps)
    yield from ("", "### Verification", "")
    yield from (f"- `{one.command}`: {one.passes}" for one in claim.verification)
    yield ""


def _cited(cited: Cited, *, again: bool) -> Iterator[str]:
    place = "" if cited.lines is None else f", lines {cited.lines[0]} to {cited.lines[1]}"
    yield f"- `{cited.artifact_uri}`{place}{', quoted above' if again and place else ''}"
    if cited.status is not UNSET:
        yield f"  {cited.status}{f': {_plain(cited.reason)}' if cited.reason else ''}"
    if cited.excerpt and not again:
        longest = max((len(ticks) for ticks in _TICKS.findall(cited.excerpt)), default=0)
        fence = "`" * max(3, longest + 1)
        yield from ("", f"  {fence}text")
        yield from (f"  {line}" for line in cited.excerpt.removesuffix("\n").split("\n"))
        yield f"  {fence}"
    yield ""


def _plain(text: str) -> str:
    """Return a text on one line, in which nothing is a mark of Markdown."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def _joined(lines: Iterator[str] | list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
