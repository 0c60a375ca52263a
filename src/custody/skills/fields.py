"""Typed fields out of nodes of YAML: each wrong one is told with its line, and reading goes on."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from custody.model.finding import Finding
from custody.model.unseen import BIDI, CONTROL
from custody.patterns import later
from custody.pipeline.messages import Nearest, shown
from custody.skills.yaml_nodes import YamlNode, described

TEXT_LIMIT = 4_000
"""Characters that one text may have."""

_NUMBER = later(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?(?:[eE][-+]?[0-9]{1,3})?")
"""A number that every version of YAML, and JSON, reads alike."""
_KINDS = {
    "mapping": "a mapping", "list": "a list", "text": "a text", "number": "a number",
    "boolean": "true or false",
}  # fmt: skip


class Findings:
    """What was found so far."""

    def __init__(self, found: Collection[Finding] = ()) -> None:
        self.found = list(found)
        self.nearest = Nearest()

    def tell(self, code: str, what: str, at: YamlNode | None, hint: str = "") -> None:
        """Add what is wrong at a node; None is the file as a whole."""
        line, column = (at.line, at.column) if at else (0, 0)
        self.found.append(Finding(code=code, message=what, line=line, column=column, hint=hint))


class Fields:
    """The fields of one mapping; ``name`` is how messages call it, empty for the whole document."""

    def __init__(self, node: YamlNode, name: str, findings: Findings) -> None:
        self.node = node
        self._name = name
        self._findings = findings
        self._is_mapping = node.kind == "mapping"
        if not self._is_mapping:
            self._wrong_kind(name or "the document", node, "mapping")

    def only(self, known: Collection[str]) -> None:
        """Tell every field that is none of those."""
        for key, (place, value) in self.node.pairs.items():
            if key not in known:
                what = f"there is no field {shown(self.called(key))}"
                hint = self._findings.nearest.hint(key, known)
                self._findings.tell("unknown_field", what, place, hint)
                self._unseen(value, self.called(key), lines=True)

    def called(self, key: str) -> str:
        """Return how messages call a field: ``outputs.required``."""
        return f"{self._name}.{key}" if self._name else key

    def get(self, key: str, *, needed: bool = False) -> YamlNode | None:
        """Return the value of a field, None where there is none."""
        if key in self.node.pairs:
            return self.node.pairs[key][1]
        if needed and self._is_mapping:
            self.tell("missing", f"the field {self.called(key)!r} is missing", self.node)
        return None

    def tell(self, code: str, what: str, at: YamlNode | None, hint: str = "") -> None:
        """Add a finding."""
        self._findings.tell(code, what, at, hint)

    def mapping(self, key: str, *, needed: bool = False) -> Fields | None:
        """Return the fields of a mapping."""
        node = self.get(key, needed=needed)
        return None if node is None else Fields(node, self.called(key), self._findings)

    def pairs(self) -> Iterator[tuple[str, YamlNode, Fields]]:
        """Yield each key with its place, and the mapping that it has."""
        for key, (place, value) in self.node.pairs.items():
            yield key, place, Fields(value, self.called(key), self._findings)

    def entries(self, key: str, *, needed: bool = False, least: int = 0) -> list[Fields]:
        """Return the mappings of a list, which should have so many."""
        return [
            Fields(item, f"{self.called(key)}[{number}]", self._findings)
            for number, item in enumerate(self.items(key, needed=needed, least=least))
        ]

    def items(self, key: str, *, needed: bool = False, least: int = 0) -> list[YamlNode]:
        """Return the items of a list, which should have so many."""
        node = self.get(key, needed=needed)
        if node is None:
            return []
        if node.kind != "list":
            self._wrong_kind(self.called(key), node, "list")
            return []
        if len(node.items) < least:
            what = f"{self.called(key)!r} has {len(node.items)} entries, and needs {least}"
            self.tell("too_few", what, node)
        return node.items

    def text(self, key: str, *, needed: bool = False, lines: bool = False) -> str | None:
        """Return a text, of several lines only where that is said."""
        node = self.get(key, needed=needed)
        return None if node is None else self.as_text(node, self.called(key), lines=lines)

    def as_text(self, node: YamlNode, name: str, *, lines: bool = False) -> str | None:
        """Return what a node says; None where that is no text."""
        if node.kind != "text":
            hint = f'put it into quotes: "{node.text}"' if _quotable(node) else ""
            self._wrong_kind(name, node, "text", hint)
            return None
        if self._unseen(node, name, lines=lines):
            return None
        if not node.text.strip():
            self.tell("empty", f"{name!r} says nothing", node)
        elif len(node.text) > TEXT_LIMIT:
            self.tell("too_large", f"{name!r} has more than {TEXT_LIMIT} characters", node)
        else:
            return node.text
        return None

    def _unseen(self, node: YamlNode, name: str, *, lines: bool) -> bool:
        """Tell a character of a text that nobody sees; return whether there is one."""
        plain = node.text.replace("\n", " ").replace("\t", " ") if lines else node.text
        odd = CONTROL.search(plain) or BIDI.search(plain)
        if odd:
            self.tell("control", f"U+{ord(odd[0]):04X} stands in {name!r}", node)
        return odd is not None

    def texts(self, key: str, *, needed: bool = False, least: int = 0) -> tuple[str, ...]:
        """Return the texts of a list."""
        nodes = self.items(key, needed=needed, least=least)
        found = (self.as_text(node, f"{self.called(key)}[{n}]") for n, node in enumerate(nodes))
        return tuple(text for text in found if text is not None)

    def number(self, key: str) -> float | None:
        """Return a number that is written as JSON writes it."""
        node = self.get(key)
        if node is None:
            return None
        if node.kind not in {"number", "integer"}:
            self._wrong_kind(self.called(key), node, "number")
            return None
        if not _NUMBER.fullmatch(node.text) or not math.isfinite(float(node.text)):
            what = f"{self.called(key)!r} is {shown(node.text)}, which is read in several ways"
            self.tell("number", what, node, "write it as a plain decimal number")
            return None
        return float(node.text)

    def switch(self, key: str, *, default: bool) -> bool:
        """Return ``true`` or ``false``; other words for them are not taken."""
        node = self.get(key)
        if node is None:
            return default
        if node.kind != "boolean" or node.text not in {"true", "false"}:
            self._wrong_kind(self.called(key), node, "boolean")
            return default
        return node.text == "true"

    def _wrong_kind(self, name: str, node: YamlNode, wanted: str, hint: str = "") -> None:
        what = f"{name!r} is {described(node)}, not {_KINDS[wanted]}"
        self.tell("type", what, node, hint)


def _quotable(node: YamlNode) -> bool:
    return node.kind in {"integer", "number", "boolean", "other"} and bool(
        node.text.isascii() and node.text.isprintable() and 0 < len(node.text) <= 40  # noqa: PLR2004
    )
