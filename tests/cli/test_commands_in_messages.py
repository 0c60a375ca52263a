"""Commands in messages can be pasted: custody's own parser takes every one of them."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

import custody
from custody.cli import parser
from custody.cli.commands import names
from custody.errors import CustodyError
from support.shell import Shell

SOURCES = Path(custody.__file__).parent
IN_BACKTICKS = re.compile(r"(?<!`)`(custody(?: [^`]*)?)`(?!`)")
BARE = re.compile(r"custody (?:[a-z]|--help)")
VALUE = "single"
"""What stands for every value that a message puts into a command."""


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield every text of a module but docstrings and parts of longer ones."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in ast.walk(node) if part is not node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (
                str(part.value) if isinstance(part, ast.Constant) else VALUE for part in node.values
            )
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def hints(tree: ast.AST) -> set[int]:
    """Return the lines of texts that are given as hints."""
    return {
        keyword.value.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "hint"
    }


def commands() -> Iterator[tuple[str, str]]:
    """Yield every command in a message, and where it stands."""
    for path in sorted(SOURCES.rglob("*.py")):
        if path.name == "manual.py":
            continue  # it writes the page of all commands
        tree = ast.parse(path.read_text())
        asked = hints(tree)
        for line, text in texts(tree):
            where = f"{path.relative_to(SOURCES)}:{line}"
            found = IN_BACKTICKS.findall(text)
            if not found and line in asked and BARE.match(text):
                found = [text]
            yield from ((where, command) for command in found)


def refusal(command: str) -> str:
    """Return why the parser does not take a command; empty when it does."""
    program, *words = shlex.split(command)
    try:
        parsed = parser.parse(words)
    except CustodyError as error:
        return str(error)
    known = isinstance(parsed, str) or parsed.options.command in names()
    return "" if known and program == "custody" else "no such command"


@pytest.mark.req("U-13")
def test_it_is_taken_by_the_parser() -> None:
    """All in one test: whoever collects the tests need not read the sources for it."""
    found = dict(commands())
    assert len(found) > 15
    refused = {where: why for where, command in found.items() if (why := refusal(command))}
    assert refused == {}


@pytest.mark.parametrize("command", ["custody frob", "custody run --frob x.dot", "git log"])
def test_one_that_nobody_takes_is_noticed(command: str) -> None:
    assert refusal(command)


@pytest.mark.req("U-13")
def test_what_a_report_says_next_can_be_pasted(sample: Shell) -> None:
    """Also where the user had to say in which folder the runs are."""
    printed = [sample("run", "pipeline.dot").out]
    printed.append(sample("run", "pipeline.dot", "--runsdir", "my runs", "--run-id", "r9").out)
    sample.write(
        "ask.dot",
        "digraph ask { start [shape=Mdiamond] ask [prompt=x, agent=outbox] done [shape=Msquare]\n"
        "start -> ask -> done }",
    )
    waits = sample("run", "ask.dot", "--runsdir", "my runs", "--run-id", "w1")
    assert waits.code == 3
    printed.append(waits.out)
    told = re.findall(r"custody (?:answer|apply|diff|resume|show|verify) .*", "\n".join(printed))
    assert len(told) >= 6
    for command in told:
        words = shlex.split(command)[1:]
        if words[0] == "answer":
            words = [word for word in words if word != "--edit"] + ["--file", "-"]
        done = sample(*words, stdin="fine\n")
        assert "error:" not in done.err, command
