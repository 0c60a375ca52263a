"""The grammar of the pipeline language, with every syntax finding in one pass.

    graph     := "digraph" [id] "{" (statement | ";")* "}"
    statement := id "=" value                          an attribute of the graph
               | ("graph" | "node" | "edge") list+     defaults for what follows
               | id list*                              a node
               | id ("->" id)+ list*                   edges that share their attributes
    list      := "[" [attribute (["," | ";"] attribute)* ["," | ";"]] "]"
    attribute := id "=" value

What the language leaves out of DOT (undirected edges, ``strict``, subgraphs, ports, HTML
labels, joined strings) is recognised and refused by name. After a finding the parser goes on
with the next attribute or the next line. It never recurses and never raises.
"""

from __future__ import annotations

from typing import Final

from custody.model.graph import SourcePosition
from custody.patterns import later
from custody.pipeline.lists import read_assignment, read_lists
from custody.pipeline.messages import shown
from custody.pipeline.parse_state import ARROWS, NAMES, Reading
from custody.pipeline.syntax import (
    Defaults,
    EdgeStatement,
    NodeStatement,
    Scope,
    Statement,
    SyntaxTree,
)
from custody.pipeline.tokens import END, WORD

NODE_ID: Final = later(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
"""Node ids become names of folders."""

_SCOPES: dict[str, Scope] = {"graph": "graph", "node": "node", "edge": "edge"}
KEYWORDS: Final = frozenset(("digraph", "edge", "graph", "node", "strict", "subgraph"))
_HEADERS = frozenset(("digraph", "graph", "strict"))


def parse(text: str) -> SyntaxTree:
    """Read ``text``; whatever it holds, the answer is a `SyntaxTree`."""
    parser = _Parser(text)
    parser.read_graph()
    reading = parser.reading
    return SyntaxTree(parser.name, parser.statements, reading.findings, reading.complete)


class _Parser:
    def __init__(self, text: str) -> None:
        self.reading = Reading(text)
        self.scan = self.reading.scan
        self.name = ""
        self.statements: list[Statement] = []
        self._ids: set[str] = set()
        """Bare words that are known to be good node ids; most of them come several times."""

    def read_graph(self) -> None:
        if self._read_header():
            self._read_body()
        else:
            self.reading.complete = False
        if self.scan.failure:
            self.reading.complete = False
            self.reading.report(*self.scan.failure)

    def _read_header(self) -> bool:
        scan, report = self.scan, self.reading.report
        if self._keyword() == "strict":
            report(scan.start, "'strict' is not part of the language", "leave it out")
            scan.advance()
        keyword = self._keyword()
        if keyword == "graph":
            report(scan.start, "an undirected graph is not part of the language", "write 'digraph'")
        elif keyword != "digraph":
            self.reading.unexpected("'digraph'")
            return False
        scan.advance()
        if scan.kind in NAMES:
            self.name = scan.value
            scan.advance()
        if scan.kind != "{":
            self.reading.unexpected("'{'")
        return scan.kind == "{"

    def _read_body(self) -> None:
        scan = self.scan
        opened = scan.start
        scan.advance()
        while scan.kind not in {"}", END}:
            self._read_statement()
        if scan.kind == END:
            return self.reading.unclosed("{", opened)
        scan.advance()
        if self._keyword() in _HEADERS:
            hint = "put each graph into its own file"
            return self.reading.report(scan.start, "a second graph begins here", hint)
        if scan.kind != END:
            self.reading.unexpected("the end of the file")
        return None

    def _read_statement(self) -> None:
        scan = self.scan
        if scan.kind in NAMES:
            self._read_named()
        elif scan.kind == ";":
            scan.advance()
        elif scan.kind == "{":
            self._refuse_subgraph()
        else:
            self.reading.unexpected("a node, an edge or an attribute")
            self.reading.skip_statement()

    def _read_named(self) -> None:
        scan = self.scan
        name, start = scan.value, scan.start
        keyword = "" if name in self._ids else self._keyword()
        if keyword == "subgraph":
            return self._refuse_subgraph()
        bare = scan.kind == WORD
        scan.advance()
        if scan.kind == "[" and keyword in _SCOPES:
            self.statements.append(Defaults(_SCOPES[keyword], read_lists(self.reading)))
        elif scan.kind == "=":
            self.statements.append(Defaults("graph", read_assignment(self.reading, name, start)))
        else:
            if name not in self._ids:
                self._check_id(name, start, bare=bare)
            self._refuse_port()
            self._read_node_or_edges(name, scan.position(start))
        return None

    def _read_node_or_edges(self, name: str, position: SourcePosition) -> None:
        if self.scan.kind in ARROWS:
            ids, positions = [name], [position]
            while self.scan.kind in ARROWS:
                self._read_target(ids, positions)
            attributes = read_lists(self.reading)
            self.statements.append(EdgeStatement(tuple(ids), tuple(positions), attributes))
        else:
            self.statements.append(NodeStatement(name, position, read_lists(self.reading)))

    def _read_target(self, ids: list[str], positions: list[SourcePosition]) -> None:
        scan, reading = self.scan, self.reading
        if scan.kind == "--":
            reading.report(
                scan.start, "an undirected edge is not part of the language", "write '->'"
            )
        scan.advance()
        name, start = scan.value, scan.start
        if name not in self._ids and not self._begin_target(name, start):
            return
        ids.append(name)
        positions.append(scan.position(start))
        scan.advance()
        self._refuse_port()

    def _begin_target(self, name: str, start: int) -> bool:
        """Whether the current token can be a node id; if not, it is reported and skipped."""
        scan, reading = self.scan, self.reading
        if scan.kind == "{" or self._keyword() == "subgraph":
            self._refuse_subgraph()
        elif scan.kind not in NAMES:
            reading.unexpected("a node id behind '->'")
            reading.skip_statement()
        else:
            self._check_id(name, start, bare=scan.kind == WORD)
            return True
        return False

    def _keyword(self) -> str:
        """Return the current token in small letters if it is a keyword, else nothing."""
        if self.scan.kind != WORD:
            return ""
        word = self.scan.value.lower()
        return word if word in KEYWORDS else ""

    def _check_id(self, name: str, start: int, *, bare: bool) -> None:
        if bare and name.lower() in KEYWORDS:
            self.reading.report(start, f"{shown(name)} is a keyword", "put it in quotes")
        elif NODE_ID.fullmatch(name) is None:
            self.reading.report(
                start,
                f"{shown(name)} cannot be a node id",
                "an id has up to 64 letters, digits, '_', '.', '-', and begins with neither of the"
                " last two",
            )
        elif bare:
            self._ids.add(name)

    def _refuse_port(self) -> None:
        scan = self.scan
        if scan.kind == ":":
            self.reading.report(scan.start, "a port is not part of the language", "leave it out")
        while scan.kind == ":":
            scan.advance()
            if scan.kind in NAMES:
                scan.advance()

    def _refuse_subgraph(self) -> None:
        scan, reading = self.scan, self.reading
        reading.complete = False
        reading.report(
            scan.start,
            "a subgraph is not part of the language",
            "declare its nodes and edges in the graph itself",
        )
        if self._keyword() == "subgraph":
            scan.advance()
        if scan.kind in NAMES:
            scan.advance()
        if scan.kind == "{":
            reading.skip_nested()
        if scan.kind in ARROWS or scan.kind == "[":
            reading.skip_statement()
