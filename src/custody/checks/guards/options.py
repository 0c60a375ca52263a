"""Find the words of a command that a rule of `custody.checks.guards.flags` refuses.

Every spelling of a flag is meant: glued (``-px``), in a row of letters (``-qp x``), with ``=``,
abbreviated, with one dash or two, as the program's `Syntax` has it. Words after ``--`` count
too, because not every program stops there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from custody.checks.guards.flags import RULES, SYNTAX, FlagRule, Syntax

_ALIASES = {"gmake": "make", "nodejs": "node", "py.test": "pytest"}
_PYTHON = re.compile(r"python[0-9]+(?:\.[0-9]+)?")
_PYTEST_MODULE = re.compile(r"-[bBdEiIOPqRsSuvx]*m(pytest)?")


def find_flag(argv: tuple[str, ...], trusted: int = 1) -> tuple[str, str] | None:
    """Return the first word of ``argv`` that a rule refuses, and why; None when none does.

    The first ``trusted`` words are the allowlist's own. They are not looked at, but each of
    them may be a program with rules of its own, as in ``timeout 60 pytest``.
    """
    for start in range(trusted):
        for rule in RULES:
            if word := refused_word(rule, argv[start:], trusted - start):
                return word, rule.why.format(rule.program)
    return None


def refused_word(rule: FlagRule, argv: tuple[str, ...], trusted: int = 1) -> str:
    """Return the first word after the ``trusted`` ones that ``rule`` refuses, or an empty text."""
    program, first = _program(argv)
    if program != rule.program:
        return ""
    syntax = SYNTAX.get(program, Syntax())
    places = _leading(argv, first, syntax) if rule.leading else range(first, len(argv))
    for place in places:
        if place >= trusted and _refuses(rule, argv[place], syntax):
            return argv[place]
    return ""


def _program(argv: tuple[str, ...]) -> tuple[str, int]:
    """Return the program that rules go by, and how many words name it."""
    name = argv[0].rsplit("/", 1)[-1]
    name = "python" if _PYTHON.fullmatch(name) else _ALIASES.get(name, name)
    if name == "python":
        for place in _leading(argv, 1, SYNTAX[name]):
            found = _PYTEST_MODULE.fullmatch(argv[place])
            if found and found[1]:
                return "pytest", place + 1
            if found and argv[place + 1 : place + 2] == ("pytest",):
                return "pytest", place + 2
    return name, 1


def _leading(argv: tuple[str, ...], first: int, syntax: Syntax) -> Iterator[int]:
    """Yield the places up to the first word that is no option, leaving out options' values."""
    place = first
    while place < len(argv):
        yield place
        if not argv[place].startswith("-"):
            return
        place += 2 if _takes_next(argv[place], syntax) else 1


def _takes_next(word: str, syntax: Syntax) -> bool:
    """Whether the value of a letter in ``word`` is the word that follows."""
    if syntax.names or word.startswith("--"):
        return False
    valued = [place for place, letter in enumerate(word) if letter in syntax.valued]
    return bool(valued) and valued[0] == len(word) - 1


def _refuses(rule: FlagRule, word: str, syntax: Syntax) -> bool:
    if rule.words and re.match(rule.words, word):
        return True
    if not word.startswith("-"):
        return False
    flags = rule.flags.split()
    name = word.split("=", 1)[0]
    if syntax.names:
        return any(_names(name.lstrip("-"), flag.lstrip("-"), syntax, 2) for flag in flags)
    if word.startswith("--"):
        return any(_names(name[2:], flag[2:], syntax, 1) for flag in flags if flag[:2] == "--")
    return _has_letter(word[1:], flags, syntax)


def _names(name: str, flag: str, syntax: Syntax, shortest: int) -> bool:
    """Whether ``name`` is ``flag``, or an abbreviation of at least ``shortest`` characters."""
    abbreviates = syntax.abbreviated and len(name) >= shortest and flag.startswith(name)
    return name == flag or abbreviates


def _has_letter(letters: str, flags: list[str], syntax: Syntax) -> bool:
    for letter in letters:
        if f"-{letter}" in flags:
            return True
        if letter in syntax.valued:
            return False
    return False
