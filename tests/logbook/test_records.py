"""A record says where evidence is in the words in which others cite it."""

from __future__ import annotations

from custody.evidence.uri import AttachmentUri, parse
from custody.logbook.records import Attachment


def test_an_attachment_is_named_by_its_id_and_its_hash() -> None:
    found = Attachment(
        attachment_id=7, item_id=1, kind="log", uri="aa/aa", sha256="a" * 64, size_bytes=3, meta={}
    )
    named = parse(found.evidence_uri)
    assert isinstance(named, AttachmentUri)
    assert (named.attachment_id, named.sha256) == (7, "a" * 64)
