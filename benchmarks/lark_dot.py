"""The pipeline language as a lark grammar: the peer that the parser is measured against.

It reads into the same statements as `custody.pipeline.parser` and raises at the first thing
that is wrong; the tests compare the two. It borrows nothing of that parser, so that its start
is its own. docs/adr/0001-own-dot-parser.md has the figures.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import lark

from custody.model.graph import Attribute, AttributeValue, SourcePosition
from custody.pipeline.syntax import Defaults, EdgeStatement, NodeStatement, Statement, SyntaxTree
from custody.pipeline.values import bare_value

GRAMMAR = r"""
start: DIGRAPH [any] "{" (";" | assignment | defaults | node | edges)* "}"

assignment: attribute
defaults: SCOPE list+
node: id list*
edges: id ("->" id)+ list*
list: "[" [attribute ([","|";"] attribute)* [","|";"]] "]"
attribute: any "=" any

any: WORD | STRING | DIGRAPH | SCOPE | OTHER
id: WORD | STRING

DIGRAPH.2: /digraph(?![A-Za-z0-9_.]|-(?![>-]))/i
SCOPE.2: /(?:graph|node|edge)(?![A-Za-z0-9_.]|-(?![>-]))/i
OTHER.2: /(?:strict|subgraph)(?![A-Za-z0-9_.]|-(?![>-]))/i
WORD: /(?:-(?=[0-9.]))?[A-Za-z0-9_.]++(?:-(?![>-])[A-Za-z0-9_.]*+)*/
STRING: /"[^"\\]*+(?:\\.[^"\\]*+)*+"/s

HASH.3: /^[ \t\r]*+\#[^\n]*+/m
BLANK: /[ \t\r]+/
LINE: /\n+/
SLASHES: /\/\/[^\n]*+/
STARS: /\/\*.*?\*\//s

%ignore HASH
%ignore BLANK
%ignore LINE
%ignore SLASHES
%ignore STARS
"""

_NODE_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_KEYWORDS = frozenset(("digraph", "edge", "graph", "node", "strict", "subgraph"))
"""Where only an id can stand, lark's lexer takes a keyword for a word."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_ESCAPE = re.compile(r'\\(["\\nt])')
_ESCAPED = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}


class Refused(ValueError):
    """The text is grammatical and still not of the language."""


def parse(text: str) -> SyntaxTree:
    """Read a text; raises `lark.UnexpectedInput` or `ValueError`."""
    read: Any = parser().parse(text)
    name, statements = read
    return SyntaxTree(name, statements, [], complete=True)


@cache
def parser() -> lark.Lark:
    """Return the parser; building its tables is the cost of starting up."""
    return lark.Lark(GRAMMAR, parser="lalr", transformer=_Statements(), maybe_placeholders=False)


@lark.v_args(inline=True)
class _Statements(lark.Transformer[lark.Token, Any]):
    """Builds the statements while the text is parsed, so that no tree is made."""

    def start(self, _digraph: lark.Token, *parts: Any) -> tuple[str, list[Statement]]:
        named = bool(parts) and isinstance(parts[0], lark.Token)
        name = _text(parts[0]) if named else ""
        return name, list(parts[1:] if named else parts)

    def assignment(self, attribute: Attribute) -> Defaults:
        return Defaults("graph", {attribute.name: attribute})

    def defaults(self, scope: lark.Token, *lists: list[Attribute]) -> Defaults:
        return Defaults(scope.lower(), _merged(lists))  # type: ignore[arg-type]

    def node(self, name: lark.Token, *lists: list[Attribute]) -> NodeStatement:
        return NodeStatement(_text(name), _position(name), _merged(lists))

    def edges(self, *parts: Any) -> EdgeStatement:
        ids = [part for part in parts if isinstance(part, lark.Token)]
        lists = parts[len(ids) :]
        return EdgeStatement(tuple(map(_text, ids)), tuple(map(_position, ids)), _merged(lists))

    def list(self, *attributes: Attribute) -> list[Attribute]:
        return [*attributes]

    def attribute(self, name: lark.Token, value: lark.Token) -> Attribute:
        written = _text(name)
        if _NAME.fullmatch(written) is None:
            raise Refused(written)
        return Attribute(name=written, value=_value(value), position=_position(value))

    def any(self, token: lark.Token) -> lark.Token:
        return token

    def id(self, token: lark.Token) -> lark.Token:
        if _NODE_ID.fullmatch(_text(token)) is None or token.lower() in _KEYWORDS:
            raise Refused(token)
        return token


def _merged(lists: Any) -> dict[str, Attribute]:
    merged: dict[str, Attribute] = {}
    for attribute in (each for one in lists for each in one):
        if attribute.name in merged:
            raise Refused(attribute.name)
        merged[attribute.name] = attribute
    return merged


def _text(token: lark.Token) -> str:
    if token.type != "STRING":
        return str(token)
    text = token[1:-1]
    return _ESCAPE.sub(lambda match: _ESCAPED[match[1]], text) if "\\" in text else text


def _value(token: lark.Token) -> AttributeValue:
    return _text(token) if token.type == "STRING" else bare_value(str(token))


def _position(token: lark.Token) -> SourcePosition:
    return SourcePosition(line=token.line or 0, column=token.column or 0)
