"""Pipelines that come with the package, to be run by name."""

from __future__ import annotations

from importlib.resources import files


def packaged(name: str) -> bytes | None:
    """Return the text of the packaged pipeline called ``name``; None when there is none."""
    if not name.isidentifier():
        return None
    found = files(__name__) / f"{name}.dot"
    return found.read_bytes() if found.is_file() else None


def packaged_names() -> list[str]:
    """Return what the packaged pipelines are called."""
    found = (entry.name for entry in files(__name__).iterdir())
    return sorted(name.removesuffix(".dot") for name in found if name.endswith(".dot"))


def sample_answers(name: str) -> bytes | None:
    """Return recorded answers to the packaged pipeline called ``name``; None without any."""
    if not name.isidentifier():
        return None
    found = files(__name__) / "answers" / f"{name}.json"
    return found.read_bytes() if found.is_file() else None


def names() -> tuple[str, ...]:
    """Return the name of every packaged pipeline."""
    return tuple(
        sorted(
            entry.name.removesuffix(".dot")
            for entry in files(__name__).iterdir()
            if entry.name.endswith(".dot")
        )
    )
