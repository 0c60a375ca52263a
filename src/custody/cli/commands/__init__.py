"""The commands: one module each, called as the command is.

What a module must have is said by `custody.cli.result.CommandModule`. The first line of its
docstring says what the command does; help reads it there and imports nothing.
"""

from __future__ import annotations

from functools import cache

from custody.store.packages import module_names

_ORDER = (
    "init", "check", "plan", "graph", "run", "task", "resume", "replay", "fork", "inbox", "answer",
    "runs", "show", "log", "diff", "apply", "verify", "evidence", "logbook", "rm", "prune",
    "ingest", "change", "pack", "gate", "bundle", "skill", "compare", "scenario", "doctor",
    "schema", "completion",
)  # fmt: skip
"""How help lists them: in the order in which a user comes to need them. Others come last."""


@cache
def names() -> tuple[str, ...]:
    """Return the name of every command."""
    return tuple(sorted(module_names(__path__), key=_rank))


def _rank(name: str) -> tuple[int, str]:
    return _ORDER.index(name) if name in _ORDER else len(_ORDER), name


@cache
def commands() -> dict[str, str]:
    """Return every command, and what it does in one line."""
    return {name: _summary(name) for name in names()}


def _summary(name: str) -> str:
    data: bytes = __loader__.get_data(f"{__path__[0]}/{name}.py")  # type: ignore[name-defined]
    line = data.decode().partition("\n")[0].strip('"').rstrip(".")
    return line[:1].lower() + line[1:]
