"""What the package says of itself."""

from __future__ import annotations

import hashlib

from custody.evidence import Content


def test_content_knows_its_hash() -> None:
    assert Content.of(b"abc").sha256 == hashlib.sha256(b"abc").hexdigest()
