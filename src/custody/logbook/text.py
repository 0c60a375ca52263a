"""What a text must be to stand in a table: alike in both databases, and no place for evidence."""

from __future__ import annotations

from custody.errors import UsageError
from custody.logbook.records import Meta
from custody.model.record import decode, encode

LONGEST = 1024
"""Characters of a name, a title or a subject."""
META_LIMIT = 4096
"""Bytes of the facts about one thing."""


def checked(what: str, text: str, *, longest: int = LONGEST) -> str:
    """Return a text that both databases can hold; raises `UsageError` for any other."""
    if not text or len(text) > longest:
        said = "empty" if not text else f"{len(text)} characters long; the limit is {longest}"
        raise UsageError(f"{what} is {said}")
    if not text.isprintable():
        raise UsageError(f"{what} holds a control character: {text[:80]!a}")
    return text


def shortened(text: str) -> str:
    """Return what somebody else wrote as one short line, whatever it held."""
    line = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def meta_text(meta: Meta) -> str:
    """Return facts as their JSON; raises `UsageError` when somebody puts a document there."""
    data = encode(meta)
    if len(data) > META_LIMIT:
        what = f"the facts about it have {len(data)} bytes; the limit is {META_LIMIT}"
        raise UsageError(what, hint="put what is long into an attachment")
    return data.decode()


def json_text(value: object) -> str:
    """Return a value as its JSON, which has no control character whatever its texts hold."""
    return encode(value).decode()


def meta_of(text: str, where: str) -> Meta:
    """Return the facts that a table holds."""
    return decode(text.encode(), Meta, where=where)
