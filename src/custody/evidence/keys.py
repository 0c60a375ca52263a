"""Ed25519 keys as files: PEM, the secret one for its owner alone."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from custody.errors import Refused, UsageError
from custody.store.root import Root, read_file

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

PUBLIC = ".pub"
"""What the file of the public key is called, after the name of the other."""
OWNERS, EVERYONES = 0o600, 0o644
LIMIT = 1 << 16
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_INSTALL = "`pip install 'custody-runtime[sign]'`"


def make_key(path: str) -> Ed25519PublicKey:
    """Write a new key to ``path`` and its public part beside it; nothing is ever overwritten."""
    require_cryptography()
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    public = key.public_key().public_bytes(
        form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo
    )
    folder, name = os.path.split(path)
    with Root.open(folder or os.curdir) as root:
        for each in (name, f"{name}{PUBLIC}"):
            if root.exists(each):
                raise Refused("exists", f"{each} is there already", where=root.path)
        root.create(name, secret, mode=OWNERS, parents=False)
        root.create(f"{name}{PUBLIC}", public, mode=EVERYONES, parents=False)
    return key.public_key()


def read_private(path: str) -> Ed25519PrivateKey:
    """Return the key of a file; raises `Refused` where others may read it."""
    require_cryptography()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    folder, name = os.path.split(path)
    with Root.open(folder or os.curdir) as root:
        mode = stat.S_IMODE(root.stat(name).st_mode)
        data = root.read(name, limit=LIMIT)
    try:
        key = load_pem_private_key(data, None)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        raise _no_key(path, "secret") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise _no_key(path, "secret")
    if mode & _OTHERS:  # told of a secret key alone: a public one is for others
        raise Refused(
            "open_key",
            "others than its owner may use the key",
            where=path,
            hint=f"`chmod 600 {path}`",
        )
    return key


def read_public(path: str) -> Ed25519PublicKey:
    """Return the public key of a file."""
    require_cryptography()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(read_file(path, limit=LIMIT))
    except (ValueError, UnsupportedAlgorithm):
        raise _no_key(path, "public") from None
    if not isinstance(key, Ed25519PublicKey):
        raise _no_key(path, "public")
    return key


def require_cryptography() -> None:
    """Raise `UsageError` where the extra is not installed."""
    from importlib.util import find_spec

    if find_spec("cryptography") is None:
        raise UsageError("signatures need the package cryptography", hint=_INSTALL)


def _no_key(path: str, which: str) -> UsageError:
    hint = "`custody evidence key FILE` makes a pair"
    return UsageError(f"this is not a {which} Ed25519 key in PEM", where=path, hint=hint)
