"""Code, by the definitions of its language where a grammar of it is installed, else by lines.

The extra ``code`` brings the grammars. Which of the two it was is part of the version of the
pieces, with the release of the grammars: another release may see other definitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

from custody.evidence.excerpt import as_text
from custody.evidence.source import DOCS, path_of_document
from custody.evidence.uri import build_docs_evidence_uri
from custody.model.reference import EXCERPT_CHARACTERS, EXCERPT_LINES
from custody.patterns import later
from custody.seek.chunk import Chunk
from custody.seek.chunkers.cut import Section, chunks_of
from custody.seek.chunkers.source import NAMESPACE, Source, canonical, checked_content

BY_LINES = "code-1-lines"
DEEPEST = 8
"""Definitions inside each other that are looked into."""
LONGEST = 1 << 19
"""Bytes of a source that is read by its grammar; what is longer was made by a program."""
LANGUAGES = {
    "bash": "bash", "c": "c", "cc": "cpp", "cpp": "cpp", "cs": "csharp", "cxx": "cpp",
    "ex": "elixir", "exs": "elixir", "go": "go", "h": "c", "hpp": "cpp", "hs": "haskell",
    "java": "java", "js": "javascript", "jsx": "javascript", "kt": "kotlin", "lua": "lua",
    "mjs": "javascript", "ml": "ocaml", "php": "php", "pl": "perl", "py": "python", "pyi": "python",
    "r": "r", "rb": "ruby", "rs": "rust", "scala": "scala", "sh": "bash", "sql": "sql",
    "swift": "swift", "tcl": "tcl", "ts": "typescript", "tsx": "tsx", "v": "verilog",
    "vhd": "vhdl", "zig": "zig",
}  # fmt: skip
"""Grammars by the ending of a name."""

_PACKAGE = "tree-sitter-language-pack"
_DEFINES = (
    "definition", "declaration", "function", "method", "class", "interface", "struct", "enum",
    "trait", "impl_item", "mod_item", "module", "namespace", "export",
)  # fmt: skip
_BLANK = later(rb"(?:[ \t]*\r?\n)+")
_NAMES = ("name", "declarator", "type")


def chunk_code(
    *,
    content: bytes | str,
    path: str,
    source_id: str,
    source_type: str = DOCS,
    sha256: str = "",
    artifact_uri: str = "",
    evidence_uri: str = "",
    namespace: str = NAMESPACE,
    kind: str = "code",
    git_commit: str = "",
) -> list[Chunk]:
    """Return the pieces of a file of code, titled by path and definition.

    ``path`` tells the language by its ending. The uri is built as that of a document. Raises
    `Refused` and `UriRefused`.
    """
    found = checked_content(content, sha256, where=source_id)
    given = evidence_uri or artifact_uri
    built = canonical(given, found.sha256) if given else ""
    source = Source(
        data=found.data,
        sha256=found.sha256,
        artifact_uri=built or build_docs_evidence_uri(path_of_document(source_id), found.sha256),
        source_type=source_type,
        source_id=source_id,
        kind=kind,
        namespace=namespace,
        git_commit=git_commit,
    )
    parser, version = _parser(language_of(path) if len(found.data) <= LONGEST else "")
    if parser is None:
        return chunks_of(source, [Section(0, path)], version)
    return chunks_of(source, _sections(parser.parse(found.data), found.data, path), version)


def release() -> str:
    """Return by what code is cut here: the release of the grammars, or by lines."""
    _, version = _parser("python")
    return version.replace("-python-", "-")


def language_of(path: str) -> str:
    """Return the grammar for a path; empty for none."""
    return LANGUAGES.get(path.rpartition("/")[2].rpartition(".")[2].lower(), "")


@lru_cache(maxsize=64)
def _parser(language: str) -> tuple[Any, str]:
    """Return what reads a language, None for nothing, and the version of the pieces it makes."""
    if not language:
        return None, BY_LINES
    try:
        from tree_sitter_language_pack import get_parser
    except ImportError:
        return None, BY_LINES
    from importlib.metadata import version

    return get_parser(cast("Any", language)), f"code-1-{language}-{version(_PACKAGE)}"


def _sections(tree: Any, data: bytes, path: str) -> Iterator[Section]:
    """Yield a section for each definition, and for what stands between them."""
    at = 0
    yield Section(0, path)
    for section in _definitions(tree.root_node, _Lines(data), path, depth=0):
        at = max(at, section.begin)
        yield Section(at, section.title)


def _definitions(node: Any, lines: _Lines, title: str, *, depth: int) -> Iterator[Section]:
    """Yield what is defined right below a node, and in what of it is too long for one piece."""
    above = None
    for child in node.named_children:
        if "comment" in child.type or "attribute" in child.type:
            above = lines.begin(child.start_byte) if above is None else above
            continue
        begin, above = above, None
        if not any(word in child.type for word in _DEFINES) or lines.is_one(child):
            continue
        begin = lines.begin(child.start_byte) if begin is None else begin
        end = lines.end(child.end_byte)
        inner = _inner(child)
        named = f"{title} {name}" if (name := _name(inner)) else title
        yield Section(begin, named)
        body = inner.child_by_field_name("body")
        if body is not None and depth < DEEPEST and lines.are_many(begin, end):
            yield from _definitions(body, lines, named, depth=depth + 1)
        yield Section(end, title)


class _Lines:
    """The lines of a source, asked for in its order.

    Points of a node are not used: reading their numbers spoils memory in tree-sitter 0.26.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._begin = self._at = 0

    def begin(self, at: int) -> int:
        """Return where the line of a byte begins; no byte is looked at twice."""
        found = self._data.rfind(b"\n", self._at, at)
        self._begin = found + 1 or self._begin
        self._at = max(self._at, at)
        return self._begin

    def end(self, end: int) -> int:
        """Return where the line of the byte before another ends, with the blank ones below it."""
        last = self._data.find(b"\n", max(0, end - 1)) + 1 or len(self._data)
        blank = _BLANK.match(self._data, last)
        return blank.end() if blank else last

    def is_one(self, node: Any) -> bool:
        """Whether a node stands on one line."""
        return self._data.find(b"\n", node.start_byte, node.end_byte) < 0

    def are_many(self, begin: int, end: int) -> bool:
        """Whether a part of the source is too long for one piece."""
        count = self._data.count(b"\n", begin, end)
        return end - begin > EXCERPT_CHARACTERS or count > EXCERPT_LINES


def _inner(node: Any) -> Any:
    """Return what is defined: below the decorators of Python, the ``export`` of JavaScript."""
    return node.child_by_field_name("definition") or node.child_by_field_name("declaration") or node


def _name(node: Any) -> str:
    for field in _NAMES:
        if (named := node.child_by_field_name(field)) is not None:
            while (within := named.child_by_field_name("declarator")) is not None:
                named = within
            return as_text(named.text).partition("\n")[0]
    return ""
