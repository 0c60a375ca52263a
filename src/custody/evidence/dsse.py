"""DSSE envelopes: a payload with one Ed25519 signature over it and over what it is.

Read strictly: one signature, one type of payload, no field that is not known, nothing after the
end. The identity of a key is the SHA-256 of its SubjectPublicKeyInfo; it only helps to find the
key, and nothing is believed because of it.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Annotated

import msgspec

from custody.errors import MalformedDocument, Refused
from custody.model.record import Record, decode, encode_pretty

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

PAYLOAD_TYPE = "application/vnd.in-toto+json"
LIMIT = 16 << 20
"""Bytes of an envelope."""


class Signature(Record, frozen=True):
    """One signature, in base64."""

    sig: str
    keyid: str = ""


class Envelope(Record, frozen=True):
    """A payload in base64, and who signed it."""

    payload: str
    payload_type: str = msgspec.field(name="payloadType")
    signatures: Annotated[tuple[Signature, ...], msgspec.Meta(min_length=1)]


def seal(payload: bytes, key: Ed25519PrivateKey) -> bytes:
    """Return the envelope of a signed payload."""
    signature = Signature(
        sig=b64encode(key.sign(signed_bytes(payload))).decode(), keyid=key_id(key.public_key())
    )
    envelope = Envelope(
        payload=b64encode(payload).decode(), payload_type=PAYLOAD_TYPE, signatures=(signature,)
    )
    return encode_pretty(envelope)


def unseal(data: bytes, key: Ed25519PublicKey | None, *, where: str) -> bytes:
    """Return the payload, whose signature is that of ``key``; without one it is not checked.

    Raises `MalformedDocument`, and `Refused` with ``payload_type``, ``signatures`` or
    ``signature``.
    """
    if len(data) > LIMIT:
        what = f"it has {len(data)} bytes; the limit is {LIMIT}"
        raise MalformedDocument("too_large", what, where=where)
    envelope = decode(data, Envelope, where=where)
    if envelope.payload_type != PAYLOAD_TYPE:
        what = f"its payload is {envelope.payload_type[:80]!r}, not {PAYLOAD_TYPE!r}"
        raise Refused("payload_type", what, where=where)
    if len(envelope.signatures) != 1:
        what = f"it has {len(envelope.signatures)} signatures; one is expected"
        raise Refused("signatures", what, where=where)
    payload = _decoded(envelope.payload, "payload", where)
    signature = _decoded(envelope.signatures[0].sig, "signature", where)
    if key is not None:
        _verify(key, signature, payload, where)
    return payload


def signed_bytes(payload: bytes) -> bytes:
    """Return what is signed: the payload's type and the payload, each with its length before it."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def key_id(key: Ed25519PublicKey) -> str:
    """Return the identity of a key."""
    import hashlib

    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(der).hexdigest()


def _verify(key: Ed25519PublicKey, signature: bytes, payload: bytes, where: str) -> None:
    from cryptography.exceptions import InvalidSignature

    try:
        key.verify(signature, signed_bytes(payload))
    except InvalidSignature:
        raise Refused(
            "signature",
            "the signature is not one of this key over this payload",
            where=where,
            hint=f"the key that was given is {key_id(key)[:16]}…",
        ) from None


def _decoded(text: str, what: str, where: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise MalformedDocument("base64", f"the {what} is not base64", where=where) from None
