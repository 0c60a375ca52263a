"""How an agent is configured: by its node, else by the environment, else by a default.

The setting ``sandbox`` of the agent ``codex`` is the node attribute ``codex.sandbox`` and the
variable ``CUSTODY_CODEX_SANDBOX``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeVar

from custody.errors import PathRefused, UsageError
from custody.model.graph import AttributeKind, AttributeRule, Duration
from custody.model.relpath import RelPath

_T = TypeVar("_T")
_YES = frozenset({"1", "on", "true", "yes"})
_NO = frozenset({"", "0", "false", "no", "off"})


def setting(
    name: str,
    kind: AttributeKind,
    doc: str,
    *,
    choices: tuple[str, ...] = (),
    paths: bool = False,
) -> AttributeRule:
    """Declare one setting, without the agent's prefix.

    ``choices`` are its only values, where any others cannot be meant; ``paths`` says that its
    entries are paths of the workspace.
    """
    return AttributeRule(name=name, kind=kind, doc=doc, choices=choices, paths=paths)


def own_program(settings: Settings) -> str:
    """Return the program that is named by a path of the workspace; empty when it is another one."""
    word = settings.text("executable")
    return "" if "/" not in word or word.startswith("/") else word


class Settings:
    """The settings of one agent for one request."""

    def __init__(
        self, agent: str, attributes: Mapping[str, str], environment: Mapping[str, str]
    ) -> None:
        self.agent = agent
        self._attributes = attributes
        self._environment = environment

    def text(self, name: str, default: str = "") -> str:
        """Return the setting as it was written."""
        return self._written(name, default)[0]

    def items(self, name: str, default: str = "") -> tuple[str, ...]:
        """Return a comma-separated setting as its entries."""
        return tuple(filter(None, (part.strip() for part in self.text(name, default).split(","))))

    def lines(self, name: str) -> tuple[str, ...]:
        """Return a setting that stands one entry a line, because entries may hold commas."""
        return tuple(filter(None, (part.strip() for part in self.text(name).splitlines())))

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return the setting as yes or no."""
        text, where = self._written(name, "true" if default else "false")
        if text.lower() not in _YES | _NO:
            raise UsageError(f"{text!r} is neither yes nor no", where=where)
        return text.lower() in _YES

    def seconds(self, name: str, default: float) -> float:
        """Return the setting as seconds; 0 switches a limit off."""
        text, where = self._written(name, "")
        if not text:
            return default
        try:
            return Duration.parse(text).seconds or math.inf
        except ValueError as error:
            raise UsageError(str(error), where=where, hint="write 90s, 15m or 0") from None

    def number(self, name: str) -> float | None:
        """Return the setting as a number; None where it is not given."""
        return self._read(name, float, "number")

    def whole(self, name: str) -> int | None:
        """Return the setting as a whole number; None where it is not given."""
        return self._read(name, int, "whole number")

    def _read(self, name: str, kind: Callable[[str], _T], called: str) -> _T | None:
        text, where = self._written(name, "")
        if not text:
            return None
        try:
            value = kind(text)
        except ValueError:
            raise UsageError(f"{text!r} is no {called}", where=where) from None
        if not math.isfinite(float(text)):
            raise UsageError(f"{text!r} is no {called}", where=where)
        return value

    def folders(self, name: str) -> tuple[RelPath, ...]:
        """Return folders of the workspace."""
        found = []
        where = self._written(name, "")[1]
        for entry in self.items(name):
            try:
                found.append(RelPath.parse(entry.rstrip("/")))
            except PathRefused as refused:
                raise UsageError(f"{entry!r}: {refused.what}", where=where) from None
        return tuple(found)

    def folder(self, name: str) -> str:
        """Return one folder of the workspace; empty for its root."""
        found = self.folders(name)
        return str(found[0]) if found else ""

    def own_folders(self) -> tuple[str, ...]:
        """Return ``workdir`` and ``add_dirs``, relative to the workspace."""
        return (self.folder("workdir"), *map(str, self.folders("add_dirs")))

    def passed(self, *names: str) -> dict[str, str]:
        """Return those variables, and those that the setting ``env`` names, as they are set."""
        wanted = (*names, *self.items("env"))
        return {name: self._environment[name] for name in wanted if name in self._environment}

    def timeout(self, default: float) -> float:
        """Return the seconds for the whole work: the agent's own limit, else the node's."""
        if f"{self.agent}.timeout" not in self._attributes and "timeout" in self._attributes:
            return default
        return self.seconds("timeout", default)

    def _written(self, name: str, default: str) -> tuple[str, str]:
        """Return the setting and where it was found."""
        attribute = f"{self.agent}.{name}"
        variable = f"CUSTODY_{self.agent}_{name}".upper()
        if attribute in self._attributes:
            return self._attributes[attribute], attribute
        return self._environment.get(variable, default), variable
