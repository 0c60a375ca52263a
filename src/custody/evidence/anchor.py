"""What ties the end of a run to a place or a time that its owner cannot change alone.

An anchor is a text of two lines, which names the run and the head of its journal. It is put into a
tag of a git repository, or a time-stamping authority (RFC 3161) signs its hash.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from custody.errors import MalformedDocument, Refused, UsageError
from custody.model.record import Document
from custody.model.reference import Sha256Hex
from custody.patterns import later

if TYPE_CHECKING:
    from datetime import datetime

    from rfc3161_client import TimeStampResponse

_TEXT = later(r"custody run ([^\s]{1,200})\njournal head ([0-9a-f]{64})\n")
LIMIT = 1 << 20
"""Bytes of a time stamp."""
_INSTALL = "`pip install 'custody-runtime[sign]'`"


class Anchor(NamedTuple):
    """A run, and the sha256 of the last line of its journal."""

    run_id: str
    head: str

    @property
    def text(self) -> str:
        """Return what is anchored."""
        return f"custody run {self.run_id}\njournal head {self.head}\n"


class Stamp(Document, frozen=True, kw_only=True):
    """A time stamp as a file: what was stamped, and the authority's answer."""

    run_id: str
    head: Sha256Hex
    response: str
    """A TimeStampResp of RFC 3161 in DER, in base64."""


def read_anchor(text: str, *, where: str) -> Anchor:
    """Return what a text anchors; raises `MalformedDocument`."""
    found = _TEXT.fullmatch(text)
    if found is None:
        raise MalformedDocument("anchor", "it is no anchor of a run", where=where)
    return Anchor(found[1], found[2])


def stamp_request(anchor: Anchor) -> bytes:
    """Return the question for an authority, in DER."""
    _require_client()
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

    builder = TimestampRequestBuilder().data(anchor.text.encode())
    return (
        builder.hash_algorithm(HashAlgorithm.SHA256)
        .cert_request(cert_request=True)
        .build()
        .as_bytes()
    )


def refuse_other_stamp(response: bytes, anchor: Anchor, *, where: str) -> None:
    """Raise `MalformedDocument` or `Refused` for an answer that stamps something else, or nothing.

    Who signed it is not looked at: that needs the authority's certificate.
    """
    imprint = _response(response, where).tst_info.message_imprint.message
    if imprint != hashlib.sha256(anchor.text.encode()).digest():
        raise Refused("other_stamp", "the authority has stamped something else", where=where)


def stamped_at(response: bytes, anchor: Anchor, roots: bytes, *, where: str) -> datetime:
    """Return when an authority below one of the roots, in PEM, has seen the anchor.

    Raises `Refused` with ``stamp`` when it has not.
    """
    _require_client()
    from cryptography.x509 import load_pem_x509_certificates
    from rfc3161_client import VerificationError, VerifierBuilder

    try:
        certificates = load_pem_x509_certificates(roots)
    except ValueError:
        raise UsageError("the file of roots holds no certificate in PEM", where=where) from None
    answer = _response(response, where)
    try:
        VerifierBuilder(roots=certificates).build().verify_message(answer, anchor.text.encode())
    except (VerificationError, ValueError) as error:
        raise Refused("stamp", f"the time stamp does not hold: {error}", where=where) from None
    return answer.tst_info.gen_time


def _response(data: bytes, where: str) -> TimeStampResponse:
    _require_client()
    from rfc3161_client import PKIStatus, decode_timestamp_response

    try:
        found = decode_timestamp_response(data)
        status = PKIStatus(found.status)
    except ValueError:
        what = "it is no time stamp of RFC 3161"
        raise MalformedDocument("stamp", what, where=where) from None
    if status != PKIStatus.GRANTED:
        raise Refused("stamp", f"the authority answered {status.name}", where=where)
    return found


def _require_client() -> None:
    from importlib.util import find_spec

    if find_spec("rfc3161_client") is None:
        raise UsageError("time stamps need the package rfc3161-client", hint=_INSTALL)
