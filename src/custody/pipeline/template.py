"""Names inside prompts, contents and paths.

    $goal  ${name}         a value
    ${context.KEY}         what a stage put into the context; ``KEY.field`` looks into an object
    ${NODE.stdout}         what the last command of a node printed; also stderr and exit_code
    ${doc:PATH}            the text of a document of the run
    ${docs:FOLDER}         the text of every document below a folder
    $$                     one dollar sign

Any other ``$x`` is ordinary text. A path may hold names itself: ``${doc:docs/${index}.md}``.
Values are put in as they are: what looks like a name inside a value stays text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from custody.errors import UsageError
from custody.model.record import encode
from custody.patterns import later

RESERVED = ("goal", "run_id")
"""Names that every run knows."""

ITEM_NAMES = ("item", "index", "count")
"""Names that a pipeline knows that is run for each item of a list."""

FIELD = "item."
CONTEXT = "context."

TEMPLATES = ("prompt", "content", "output_path", "items")
"""Attributes whose text is a template."""

NAME = later(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NAME_PLACE = later(rf"\$\{{({NAME.pattern})\}}")
_PLACE = later(
    rf"\$(?:\$|(goal)(?![A-Za-z0-9_])|\{{({NAME.pattern})\}}"
    rf"|\{{(docs?):((?:[^$\{{\}}\n]|\$\{{{NAME.pattern}\}})+)\}}|\{{)"
)

Documents = Callable[[str, str], str]
"""Gives the text for ``doc`` or ``docs`` and a path."""


def names_in(text: str) -> set[str]:
    """Return every name that ``text`` needs a value for."""
    return look_into(text)[0]


def look_into(text: str) -> tuple[set[str], bool]:
    """Return the names, and whether a ``${`` lacks its name or its ``}``."""
    names: set[str] = set()
    malformed = False
    for match in _PLACE.finditer(text) if "$" in text else ():
        name = match[1] or match[2]
        if name:
            names.add(name)
        if match[4]:
            names.update(_NAME_PLACE.findall(match[4]))
        malformed = malformed or match[0] == "${"
    return names, malformed


def documents_in(text: str) -> list[tuple[str, str]]:
    """Return what ``text`` needs of documents: ``doc`` or ``docs``, and the path as written."""
    places = _PLACE.finditer(text) if "${doc" in text else ()
    return [(match[3], match[4]) for match in places if match[3]]


def expand(text: str, values: Mapping[str, str], documents: Documents | None = None) -> str:
    """Return ``text`` with its names replaced; raises `UsageError` when a value is missing."""

    def value_of(name: str) -> str:
        if name not in values:
            raise UsageError(f"no value for ${{{name}}}", hint=f"set it with --set {name}=…")
        return values[name]

    def replacement(match: re.Match[str]) -> str:
        if match[3] and documents is not None:
            path = _NAME_PLACE.sub(lambda inner: value_of(inner[1]), match[4])
            return documents(match[3], path)
        name = match[1] or match[2]
        if name is None:
            return "$" if match[0] == "$$" else match[0]
        return value_of(name)

    return _PLACE.sub(replacement, text) if "$" in text else text


def look_up(context: Mapping[str, Any], name: str) -> Any:
    """Return what ``name`` means in a context; raises `KeyError` when it means nothing.

    The longest key wins; what is left of the name are fields of objects.
    """
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        key = ".".join(parts[:length])
        if key in context:
            value = context[key]
            for field in parts[length:]:
                if not isinstance(value, dict):
                    raise KeyError(name)
                value = value[field]
            return value
    raise KeyError(name)


def as_text(value: object) -> str:
    """Return a value as a template shows it: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else encode(value).decode()
