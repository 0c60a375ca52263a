"""What a repository says about changes of it, read out of the repository and nowhere else.

``[change]`` of its ``custody.toml`` counts, or else ``[tool.custody.change]`` of its
``pyproject.toml``. So the same repository says the same on every machine.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from custody.errors import MalformedDocument, PathRefused
from custody.model.contracts.change_settings import ChangeSettings
from custody.model.record import ready
from custody.store.own_settings import CHANGES, parse_toml
from custody.store.root import Root

_FILE = "custody.toml"
_PROJECT = "pyproject.toml"
_LIMIT = 1 << 20
_LINKS = 1 << 16
"""A checkout may share its files with another."""


def change_settings(root: Root) -> ChangeSettings:
    """Return what the repository at ``root`` says; raises `MalformedDocument`.

    The slug is the project's name where nothing else is said; empty where that is not told either.
    """
    project = _read(root, _PROJECT)
    own = _read(root, _FILE)
    if CHANGES in own:
        found = _settings(own[CHANGES], f"{_FILE} [{CHANGES}]")
    else:
        found = _settings(_at(project, "tool", "custody", CHANGES), f"{_PROJECT} [tool.custody]")
    name = _at(project, "project").get("name")
    if found.slug or not isinstance(name, str):
        return found
    return replace(found, slug=name)


def _settings(table: Any, where: str) -> ChangeSettings:
    try:
        return msgspec.convert(table, ready(ChangeSettings))
    except msgspec.ValidationError as error:
        raise MalformedDocument("type", str(error), where=where) from None


def _read(root: Root, name: str) -> dict[str, Any]:
    try:
        data = root.read(name, limit=_LIMIT, links=_LINKS)
    except PathRefused as refused:
        if refused.code == "missing":
            return {}
        raise MalformedDocument(refused.code, refused.what, where=name) from None
    return parse_toml(data, name)


def _at(table: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        table = table.get(key, {}) if isinstance(table, dict) else {}
    return table if isinstance(table, dict) else {}
