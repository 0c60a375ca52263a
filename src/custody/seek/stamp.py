"""Which releases of what an index was made with; those of another stamp are not searched."""

from __future__ import annotations

from custody.errors import SeekFailed
from custody.model.record import Record
from custody.seek import tokens
from custody.seek.chunkers import code, diff, document, log


class IndexStamp(Record, frozen=True):
    """Versions that decide what stands in an index."""

    tokenizer: str
    chunkers: tuple[str, ...]
    model: str
    """The embedding model's id with its version; empty for none."""


def current(model: str) -> IndexStamp:
    """Return the stamp of what this release makes with a model."""
    chunkers = (diff.VERSION, document.VERSION, log.VERSION, code.release())
    return IndexStamp(tokenizer=tokens.VERSION, chunkers=chunkers, model=model)


def refuse_another(found: IndexStamp, wanted: IndexStamp, *, where: str) -> None:
    """Raise `SeekFailed` with ``stamp`` where an index was made with something else."""
    if found == wanted:
        return
    names = ("tokenizer", "chunkers", "model")
    pairs = [(name, getattr(found, name), getattr(wanted, name)) for name in names]
    told = "; ".join(
        f"{name}: {_said(was)}, now {_said(now)}" for name, was, now in pairs if was != now
    )
    hint = "custody seek index --rebuild"
    raise SeekFailed(
        "stamp", f"the index was made with other versions of {told}", where=where, hint=hint
    )


def _said(value: str | tuple[str, ...]) -> str:
    return (value if isinstance(value, str) else " ".join(value)) or "none"
