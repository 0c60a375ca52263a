"""What a repository says about changes of it: the table ``[change]`` of its settings."""

from __future__ import annotations

from custody.model.record import Record


class ChangeSettings(Record, frozen=True):
    """Nothing in it can lower what custody asks for; it adds, or it names."""

    slug: str = ""
    """What context packs call the repository; without it, the project's name."""
    documents: tuple[str, ...] = ()
    """Documents that every context pack must hold, beside those that all repositories have."""
    workflows: tuple[str, ...] = ()
    """Pipelines that `find` may choose, or folders of them; without any, `workflows/`."""
    lite: tuple[str, ...] = ()
    """Commands of the gate ``lite``: the checks that take a moment."""
    full: tuple[str, ...] = ()
    """Commands of the gate ``full``: all of them."""
