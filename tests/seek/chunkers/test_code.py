"""Code is cut by its definitions where its grammar is there, else by lines."""

from __future__ import annotations

import sys

import pytest

from custody.seek.chunk import Chunk
from custody.seek.chunkers import chunk_code
from custody.seek.chunkers.code import BY_LINES, LANGUAGES, _parser, language_of

PYTHON = """import os

# Says it.
@cached
def one():
    return 1


class Big:
    a = 1

    def first(self):
        return 1
{lines}
    def second(self):
        return 2


x = 1
""".replace("{lines}", "        # more\n" * 30)


def chunks_of(text: str, path: str) -> list[Chunk]:
    chunks = chunk_code(content=text, path=path, source_id=f"src:{path}")
    assert "".join(chunk.text for chunk in chunks) == text
    return chunks


def test_definitions_are_pieces_and_long_ones_are_looked_into() -> None:
    assert [(chunk.title, chunk.lines) for chunk in chunks_of(PYTHON, "a.py")] == [
        ("a.py", (1, 2)),
        ("a.py one", (3, 8)),
        ("a.py Big", (9, 11)),
        ("a.py Big first", (12, 28)),
        ("a.py Big first", (29, 44)),
        ("a.py Big second", (45, 48)),
        ("a.py", (49, 49)),
    ]


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("a.c", "int f(void)\n{\n  return 1;\n}\n", "a.c f"),
        ("a.rs", "impl A {\n  fn f() {}\n}\n", "a.rs A"),
        ("a.ts", "export class A {\n  f() {}\n}\n", "a.ts A"),
        ("a.go", "func (a *A) F() {\n}\n", "a.go F"),
        ("A.java", "class A {\n  void f() {}\n}\n", "A.java A"),
        ("a.tcl", "proc f {} {\n  puts 1\n}\n", "a.tcl"),
    ],
)
def test_a_definition_is_named(path: str, text: str, title: str) -> None:
    assert [chunk.title for chunk in chunks_of(text, path)] == [title]


@pytest.mark.parametrize("language", sorted(set(LANGUAGES.values())))
def test_every_grammar_is_there(language: str) -> None:
    parser, version = _parser(language)
    assert parser is not None
    assert version.startswith(f"code-1-{language}-")


def test_without_a_grammar_lines_count() -> None:
    (chunk,) = chunks_of("def f():\n    pass\n", "a.unknown")
    assert (chunk.chunking_version, chunk.title) == (BY_LINES, "a.unknown")
    assert language_of("dir.py/file") == ""


def test_without_the_extra_lines_count(monkeypatch: pytest.MonkeyPatch) -> None:
    _parser.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_language_pack", None)
    assert {chunk.chunking_version for chunk in chunks_of(PYTHON, "a.py")} == {BY_LINES}
    monkeypatch.undo()
    _parser.cache_clear()


def test_definitions_inside_each_other_end_somewhere() -> None:
    deep = "".join(f"{' ' * depth}class A{depth}:\n" for depth in range(200))
    assert chunks_of(deep + " " * 200 + "x = 1\n", "a.py")
