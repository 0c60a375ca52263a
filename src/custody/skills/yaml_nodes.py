"""YAML that can be read in one way only, as nodes that know their lines.

YAML has more to it than a contract needs, and each part of it has harmed somebody. What is read
here is one document of mappings, lists and plain values. Findings have these codes:

    too_large       more than `SIZE_LIMIT` bytes or `NODE_LIMIT` nodes; nothing else is looked at
    encoding        bytes that are not UTF-8, or a byte-order mark
    control         a character that YAML forbids
    too_deep        lists and mappings inside each other more than `DEPTH_LIMIT` times
    syntax          it is not YAML
    multi_doc       a second document, of which most readers would see nothing
    yaml_alias      an anchor or an alias: a short text that stands for an endless one
    yaml_tag        a tag, which can make a value anything
    yaml_merge      a merge key, which hides what a mapping holds
    yaml_directive  a directive, which changes how the rest is read
    duplicate_key   a key that stands twice
    type            a key that is no text
    surrogate       half a surrogate pair

Everything that is wrong is told at once; what lies behind an end (``too_deep``, ``syntax``) is not
known. Only the loader in Python is used: the one in C dies of what is nested deep.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from custody.model.finding import Finding
from custody.patterns import later

if TYPE_CHECKING:
    from yaml import Event, MarkedYAMLError, ScalarEvent

SIZE_LIMIT = 256 << 10
NODE_LIMIT = 10_000
DEPTH_LIMIT = 32

NodeKind = Literal["mapping", "list", "text", "integer", "number", "boolean", "nothing", "other"]

_KINDS: dict[str, NodeKind] = {
    "str": "text", "int": "integer", "float": "number", "bool": "boolean", "null": "nothing",
}  # fmt: skip
_TAG = "tag:yaml.org,2002:"
_SURROGATE = later("[\ud800-\udfff]")
_ELSEWHERE = later(r"[-+]?(?:0o[0-7]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+)")
"""Numbers of YAML 1.2, and of JSON, that YAML 1.1 takes for texts."""
_MARK = "\ufeff"


class YamlNode:
    """One value, with its place."""

    __slots__ = ("column", "items", "kind", "line", "pairs", "text")

    def __init__(self, kind: NodeKind, line: int, column: int, text: str = "") -> None:
        self.kind = kind
        self.line = line
        self.column = column
        self.text = text
        """A plain value as it is written, without quotes."""
        self.items: list[YamlNode] = []
        """What a list holds."""
        self.pairs: dict[str, tuple[YamlNode, YamlNode]] = {}
        """What a mapping holds: each key as a node, and its value."""


class ReadYaml(NamedTuple):
    """The value of a document, None where there is none, and what is wrong with it."""

    node: YamlNode | None
    findings: tuple[Finding, ...]


def read_yaml(data: bytes) -> ReadYaml:
    """Read one document."""
    if len(data) > SIZE_LIMIT:
        what = f"{len(data)} bytes, and {SIZE_LIMIT} are read at most"
        return ReadYaml(None, (_finding("too_large", what, 0, 0),))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"byte {error.start} is not UTF-8"
        return ReadYaml(None, (_finding("encoding", what, line, 1),))
    if text.startswith(_MARK):
        what = "a byte-order mark stands at the beginning"
        return ReadYaml(None, (_finding("encoding", what, 1, 1),))
    return _Builder(text).read()


class _Stopped(Exception):
    """What follows cannot be read, or shall not."""


class _Open:
    """A mapping or list that is being filled; ``key`` is the one whose value comes next."""

    __slots__ = ("key", "node")

    def __init__(self, node: YamlNode) -> None:
        self.node = node
        self.key: YamlNode | None = None


class _Builder:
    """Makes nodes of events, one after the other: nothing here recurses."""

    def __init__(self, text: str) -> None:
        from yaml.resolver import Resolver

        self._text = text
        self._resolve: Callable[..., str] = Resolver().resolve
        self._found: list[Finding] = []
        self._open: list[_Open] = []
        self._first: YamlNode | None = None
        self._nodes = 0
        self._documents = 0

    def read(self) -> ReadYaml:
        try:
            for event in self._events():
                self._take(event)
        except _Stopped:
            return ReadYaml(None, tuple(self._found))
        return ReadYaml(self._first, tuple(self._found))

    def _events(self) -> Iterator[Event]:
        import yaml

        try:
            yield from yaml.parse(self._text, Loader=yaml.SafeLoader)
        except yaml.reader.ReaderError as error:
            line = self._text.count("\n", 0, error.position) + 1
            self._stop("control", f"U+{error.character:04X} stands in it", line, 1)
        except yaml.MarkedYAMLError as error:
            self._stop("syntax", *_told(error))
        except (ValueError, OverflowError):  # an escape or a version out of all bounds
            self._stop("syntax", "a number in an escape or a directive is too large", 0, 0)

    def _take(self, event: Event) -> None:
        import yaml

        self._refuse(event)
        line, column = _place(event)
        if isinstance(event, yaml.ScalarEvent):
            self._add(self._scalar(event))
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            if len(self._open) == DEPTH_LIMIT:
                self._stop("too_deep", f"more than {DEPTH_LIMIT} levels", line, column)
            mapping = isinstance(event, yaml.MappingStartEvent)
            node = YamlNode("mapping" if mapping else "list", line, column)
            self._add(node)
            self._open.append(_Open(node))
        elif isinstance(event, yaml.AliasEvent):
            self._add(YamlNode("other", line, column))
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._open.pop()

    def _refuse(self, event: Event) -> None:
        """Find what no contract may hold, wherever it stands."""
        import yaml

        line, column = _place(event)
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if event.version or event.tags:
                self._tell("yaml_directive", "a directive changes how it is read", line, column)
            if self._documents > 1:
                self._stop("multi_doc", "a second document begins", line, column)
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            self._tell("yaml_alias", f"anchor or alias {event.anchor[:60]!r}", line, column)
        if tag := getattr(event, "tag", None):
            self._tell("yaml_tag", f"tag {tag[:60]!r}", line, column)

    def _scalar(self, event: ScalarEvent) -> YamlNode:
        import yaml

        line, column = _place(event)
        if _SURROGATE.search(event.value):
            self._tell("surrogate", "half a surrogate pair stands in it", line, column)
        tag: str = event.tag or self._resolve(yaml.ScalarNode, event.value, event.implicit)
        kind = _KINDS.get(tag.removeprefix(_TAG), "other")
        if kind == "text" and event.implicit[0] and _ELSEWHERE.fullmatch(event.value):
            kind = "other"
        return YamlNode(kind, line, column, event.value)

    def _add(self, node: YamlNode) -> None:
        self._nodes += 1
        if self._nodes > NODE_LIMIT:
            self._stop("too_large", f"more than {NODE_LIMIT} values", node.line, node.column)
        if not self._open:
            self._first = node
            return
        holder = self._open[-1]
        if holder.node.kind == "list":
            holder.node.items.append(node)
        elif holder.key is None:
            holder.key = node
        else:
            self._pair(holder.node, holder.key, node)
            holder.key = None

    def _pair(self, mapping: YamlNode, key: YamlNode, value: YamlNode) -> None:
        if key.kind == "other" and key.text == "<<":
            self._tell("yaml_merge", "a merge key", key.line, key.column)
        elif key.kind != "text":
            what = f"a key is {described(key)}, not a text"
            self._tell("type", what, key.line, key.column, hint="put it into quotes")
        elif key.text in mapping.pairs:
            first = mapping.pairs[key.text][0].line
            what = f"the key {key.text[:60]!r} stands in line {first} already"
            self._tell("duplicate_key", what, key.line, key.column)
        else:
            mapping.pairs[key.text] = (key, value)

    def _tell(self, code: str, what: str, line: int, column: int, hint: str = "") -> None:
        self._found.append(_finding(code, what, line, column, hint))

    def _stop(self, code: str, what: str, line: int, column: int) -> None:
        self._tell(code, what, line, column)
        raise _Stopped


def described(node: YamlNode) -> str:
    """Return what a node is, for a message: ``a list``, ``the boolean no``, ``nothing``."""
    if node.kind in {"mapping", "list"}:
        return f"a {node.kind}"
    if node.kind == "nothing":
        return "nothing"
    shown = re.sub(r"[^ -~]", "?", node.text[:40])
    return f"the {node.kind} {shown}" if node.kind != "other" else "a value of another kind"


def _place(event: Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (0, 0)


def _told(error: MarkedYAMLError) -> tuple[str, int, int]:
    what = f"it is not YAML: {error.problem or error.context}"
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return what, 0, 0
    return what, mark.line + 1, mark.column + 1


def _finding(code: str, message: str, line: int, column: int, hint: str = "") -> Finding:
    return Finding(code=code, message=message, line=line, column=column, hint=hint)
