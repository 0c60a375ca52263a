"""Finding the pipelines that `each` nodes run, and reading them with the pipeline itself.

A part is a packaged pipeline, by its name, or a file, by its path from the file that names it.
It is kept under that name, or under its path from the first file; so a run that has every part
under its name needs none of the files again.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

import msgspec
from msgspec.structs import replace

from custody.errors import CustodyError
from custody.model.finding import Finding
from custody.model.graph import Attribute, Catalog, Node, Pipeline
from custody.model.state import EACH
from custody.pipeline.messages import shown
from custody.pipeline.subpipeline import all_nodes

DEPTH_LIMIT = 4
"""How deep lists may work inside lists."""
ITEMS_LIMIT = 1000
"""How many items a list may have."""
NAME_LIMIT = 200
"""How long a stage's name may be."""


class PartText(msgspec.Struct, frozen=True):
    """The text of a part."""

    data: bytes
    where: str
    """What findings call the file."""


Library = Callable[[str], PartText]
"""Gives a part by the name it is kept under; raises `CustodyError` when there is none."""

ReadOne = Callable[[bytes], tuple[Pipeline | None, list[Finding]]]


def is_packaged(name: str) -> bool:
    """Whether a name means a packaged pipeline, and not a file."""
    return not name.endswith(".dot") and "/" not in name


class PartReader:
    """Reads the parts of one pipeline, each once."""

    def __init__(self, library: Library | None, catalog: Catalog, read_one: ReadOne) -> None:
        self._library = library
        self._catalog = catalog
        self._read_one = read_one
        self._read: dict[str, Pipeline | None] = {}
        self.sources: dict[str, bytes] = {}
        self.findings: list[Finding] = []

    def attach(self, pipeline: Pipeline, chain: tuple[str, ...], where: str = "") -> Pipeline:
        """Return the pipeline with its parts; ``chain`` is how it was come to, itself included."""
        parts: dict[str, Pipeline] = {}
        for node in pipeline.nodes.values():
            named = node.attributes.get("pipeline") if node.type == EACH else None
            if named is None or not str(named.value).strip():
                continue
            part = self._part(named, chain, where)
            if part is not None:
                parts[node.id] = part
                self._note(_together(node, part, self._catalog), where)
        return replace(pipeline, parts=parts)

    def judge_whole(self, pipeline: Pipeline) -> None:
        """Find what only all parts together make wrong."""
        for name, part in pipeline.parts.items():
            at = pipeline.nodes[name].attributes["pipeline"]
            if _height(part) > DEPTH_LIMIT:
                what = f"lists inside lists, more than {DEPTH_LIMIT} deep"
                self._note([at.finding("each_depth", what)], "")
            elif _longest(part) + len(name) > NAME_LIMIT:
                what = f"a stage's name would have more than {NAME_LIMIT} characters"
                self._note([at.finding("each_name", what, "choose shorter ids")], "")

    def _part(self, named: Attribute, chain: tuple[str, ...], where: str) -> Pipeline | None:
        name = str(named.value)
        key = name
        if not is_packaged(name):
            if chain[-1] and is_packaged(chain[-1]):
                what = f"a packaged pipeline knows no file {shown(name)}"
                self._note([named.finding("each", what)], where)
                return None
            key = posixpath.normpath(posixpath.join(posixpath.dirname(chain[-1]), name))
        if key in chain:
            what = f"{shown(name)} would run itself"
            self._note([named.finding("each_recursion", what)], where)
            return None
        if key not in self._read:
            self._read[key] = None
            self._read[key] = self._read_part(key, named, chain, where)
        return self._read[key]

    def _read_part(
        self, key: str, named: Attribute, chain: tuple[str, ...], where: str
    ) -> Pipeline | None:
        if len(chain) > DEPTH_LIMIT:
            what = f"lists inside lists, more than {DEPTH_LIMIT} deep"
            self._note([named.finding("each_depth", what)], where)
            return None
        try:
            source = (self._library or _nowhere)(key)
        except CustodyError as error:
            what = f"no pipeline at {shown(str(named.value))}"
            self._note([named.finding("each", what, error.hint)], where)
            return None
        self.sources[key] = source.data
        part, findings = self._read_one(source.data)
        self._note(findings, source.where)
        return None if part is None else self.attach(part, (*chain, key), source.where)

    def _note(self, findings: list[Finding] | Iterator[Finding], where: str) -> None:
        self.findings += [replace(finding, file=where) for finding in findings]


def _nowhere(_key: str) -> PartText:
    raise CustodyError("there is nowhere to look for it")


def _together(node: Node, part: Pipeline, catalog: Catalog) -> Iterator[Finding]:
    """Find that items are to be worked on at once although they share a workspace."""
    at_once = node.attributes.get("max_parallel")
    if at_once is None or at_once.value == 1:
        return
    for inner in all_nodes(part):
        if inner.type in catalog and not catalog[inner.type].side_by_side:
            what = f"max_parallel: {shown(inner.id)} of type {inner.type} may change the workspace"
            known = ", ".join(sorted(name for name, kind in catalog.items() if kind.side_by_side))
            yield at_once.finding("each_parallel", what, f"only these stand side by side: {known}")
            return


def _height(part: Pipeline) -> int:
    return 1 + max((_height(inner) for inner in part.parts.values()), default=0)


def _longest(part: Pipeline) -> int:
    """Return the longest name of an item's stage, without that of the node whose item it is."""
    inner = (len(name) + _longest(deeper) for name, deeper in part.parts.items())
    names = (len(name) for name in part.nodes)
    return len(f".{ITEMS_LIMIT}.") + max((*names, *inner), default=0)
