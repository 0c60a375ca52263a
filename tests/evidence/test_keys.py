"""Keys are for their owner alone, and are never overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from custody.errors import CustodyError, Refused, UsageError
from custody.evidence.dsse import key_id
from custody.evidence.keys import make_key, read_private, read_public


def test_a_pair_is_made_and_read(tmp_path: Path) -> None:
    made = make_key(str(tmp_path / "mine"))
    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o600
    secret = read_private(str(tmp_path / "mine"))
    public = read_public(str(tmp_path / "mine.pub"))
    assert key_id(made) == key_id(public) == key_id(secret.public_key())


@pytest.mark.parametrize("there", ["mine", "mine.pub"])
def test_nothing_is_overwritten(tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("kept")
    with pytest.raises(Refused, match="is there already"):
        make_key(str(tmp_path / "mine"))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(there, "kept")]


def test_a_key_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    make_key(str(tmp_path / "mine"))
    (tmp_path / "mine").chmod(0o640)
    with pytest.raises(Refused) as caught:
        read_private(str(tmp_path / "mine"))
    assert caught.value.hint.startswith("`chmod 600")


def test_a_public_key_is_not_told_to_be_closed(tmp_path: Path) -> None:
    make_key(str(tmp_path / "mine"))
    with pytest.raises(UsageError, match="not a secret Ed25519 key"):
        read_private(str(tmp_path / "mine.pub"))


def test_what_is_no_such_key_is_refused(tmp_path: Path) -> None:
    pair, other = tmp_path / "mine", tmp_path / "other"
    make_key(str(pair))
    curve = generate_private_key(SECP256R1())
    other.write_bytes(curve.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    other.chmod(0o600)
    for path in (other, pair.with_suffix(".pub")):
        path.chmod(0o600)
        with pytest.raises(UsageError, match="not a secret Ed25519 key"):
            read_private(str(path))
    for path in (other, pair):
        with pytest.raises(UsageError, match="not a public Ed25519 key"):
            read_public(str(path))
    with pytest.raises(CustodyError):
        read_private(str(tmp_path / "none"))
    with pytest.raises(CustodyError):
        read_public(str(tmp_path / "none"))
