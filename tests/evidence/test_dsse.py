"""Envelopes are those of the specification, by an independent implementation, and read strictly."""

from __future__ import annotations

import json
from base64 import b64encode
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import CustodyError, MalformedDocument, Refused
from custody.evidence import dsse
from custody.evidence.dsse import PAYLOAD_TYPE, key_id, seal, signed_bytes, unseal

KEY = Ed25519PrivateKey.generate()
OTHER = Ed25519PrivateKey.generate()
PUBLIC = KEY.public_key()
PAYLOAD = '{"a": "é"}'.encode()


if TYPE_CHECKING:  # it loads much, which whoever collects the tests would have to hold
    from securesystemslib.dsse import Envelope as TheirEnvelope
    from securesystemslib.signer._key import SSlibKey


def theirs(key: Ed25519PrivateKey) -> SSlibKey:
    from securesystemslib.signer._key import SSlibKey

    public = key.public_key()
    return SSlibKey.from_crypto(public, keyid=key_id(public))


def sealed_by_others(payload_type: str) -> TheirEnvelope:
    from securesystemslib.dsse import Envelope as TheirEnvelope
    from securesystemslib.signer._crypto_signer import CryptoSigner

    envelope = TheirEnvelope(PAYLOAD, payload_type, {})
    envelope.sign(CryptoSigner(KEY, theirs(KEY)))
    return envelope


def refusal(data: bytes) -> str:
    with pytest.raises((MalformedDocument, Refused)) as caught:
        unseal(data, PUBLIC, where="e.json")
    assert isinstance(caught.value, MalformedDocument | Refused)
    return caught.value.code


def changed(**fields: Any) -> bytes:
    return json.dumps(json.loads(seal(PAYLOAD, KEY)) | fields).encode()


def test_what_is_signed_here_others_verify() -> None:
    from securesystemslib.dsse import Envelope as TheirEnvelope
    from securesystemslib.exceptions import VerificationError

    envelope = TheirEnvelope.from_dict(json.loads(seal(PAYLOAD, KEY)))
    assert envelope.payload == PAYLOAD
    envelope.verify([theirs(KEY)], 1)
    with pytest.raises(VerificationError):
        envelope.verify([theirs(OTHER)], 1)
    assert envelope.pae() == signed_bytes(PAYLOAD)


def test_what_others_sign_is_verified_here() -> None:
    data = json.dumps(sealed_by_others(PAYLOAD_TYPE).to_dict()).encode()
    assert unseal(data, PUBLIC, where="e") == PAYLOAD
    with pytest.raises(Refused, match="not one of this key"):
        unseal(data, OTHER.public_key(), where="e")


def test_without_a_key_nothing_is_said_of_the_signature() -> None:
    data = changed(signatures=[{"keyid": "", "sig": b64encode(b"x" * 64).decode()}])
    assert unseal(data, None, where="e") == PAYLOAD
    assert refusal(data) == "signature"


SIGNATURE = json.loads(seal(PAYLOAD, KEY))["signatures"][0]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (seal(PAYLOAD, OTHER), "signature"),
        (changed(payload=b64encode(PAYLOAD + b" ").decode()), "signature"),
        (changed(payloadType="application/json"), "payload_type"),
        (changed(signatures=[SIGNATURE, SIGNATURE]), "signatures"),
        (changed(signatures=[]), "type"),
        (changed(signatures=[{"keyid": SIGNATURE["keyid"], "sig": "AAAA"}]), "signature"),
        (changed(payload="é"), "base64"),
        (changed(payload="e30"), "base64"),
        (changed(payload="e30=\n"), "base64"),
        (changed(more=1), "type"),
        (seal(PAYLOAD, KEY) + b"{}", "json"),
        (seal(PAYLOAD, KEY).replace(b'"payload":', b'"payload": "e30=", "payload":', 1),
         "duplicate_key"),
        (b"\xef\xbb\xbf" + seal(PAYLOAD, KEY), "json"),
        (b"", "json"),
        (b"[]", "type"),
    ],
)  # fmt: skip
def test_whatever_is_odd_is_refused(data: bytes, code: str) -> None:
    assert refusal(data) == code


def test_much_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dsse, "LIMIT", 10)
    assert refusal(seal(PAYLOAD, KEY)) == "too_large"


def test_another_type_cannot_be_signed_as_this_one() -> None:
    envelope = sealed_by_others("application/json")
    data = json.loads(json.dumps(envelope.to_dict())) | {"payloadType": PAYLOAD_TYPE}
    assert refusal(json.dumps(data).encode()) == "signature"


@given(st.binary(max_size=200))
def test_any_payload_comes_back(payload: bytes) -> None:
    assert unseal(seal(payload, KEY), PUBLIC, where="e") == payload


@given(st.integers(min_value=0), st.integers(min_value=1, max_value=255))
def test_no_changed_byte_gives_another_payload(at: int, difference: int) -> None:
    data = bytearray(seal(PAYLOAD, KEY))
    data[at % len(data)] ^= difference
    with suppress(CustodyError):
        assert unseal(bytes(data), PUBLIC, where="e") == PAYLOAD
