r"""A command's text as words and operators: a small grammar that no shell is needed for.

    line       words and operators, separated by blanks
    word       bare characters, or one pair of quotes around a whole word
               or around all that follows the first ``=`` (``NAME="a b"``)
    operator   ``&&``  ``||``  ``;``  ``|``  ``(``  ``)``

What a shell would replace is refused or marked: ``$NAME`` and a leading ``~`` set
`Word.expands`, and whoever reads the word decides. Nothing is ever replaced here. ``*`` and
``?`` are refused outside quotes, because nothing would expand them; ``[`` and ``]`` are
ordinary, because test names hold them; a ``$`` at the end of a word is one, because patterns
end with it.

Refusals, the first from the left:

    substitution   a backtick, ``$(``, ``<(``, ``>(``, ``${`` other than ``${NAME}``, ``$?``
                   and the like; within quotes as well
    operator       ``&``, ``|&``, a redirect, a newline, a parenthesis in a wrong place
    charset        a backslash, a quote within a word or without its end, a control character,
                   a blank other than the space, any other character that a shell reads
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from custody.errors import CommandRefused

LENGTH_LIMIT = 4000
"""Characters in one command."""
DEPTH_LIMIT = 8
"""Parentheses within parentheses."""

OperatorText = Literal["&&", "||", ";", "|", "(", ")"]


class Operator(NamedTuple):
    """What joins or wraps commands."""

    text: OperatorText


class Word(NamedTuple):
    """One word, without its quotes."""

    text: str
    bare: str
    """The part that stands outside quotes; a name before ``=`` counts only here."""
    literal: bool
    """Whether it stands in single quotes, in which a shell replaces nothing."""
    expands: bool
    """Whether a shell would replace something in it."""


Token = Word | Operator

_BARE = re.compile(
    r"""(?:[A-Za-z0-9_./:=,+@%^~\[\]\#-]
        | [^\x00-\x7f]                    # other scripts; blanks among them are sifted out later
        | \$[A-Za-z_][A-Za-z0-9_]*
        | \$\{[A-Za-z_][A-Za-z0-9_]*\}
        | \$(?=[ ;&|)]|\Z)
        )*""",
    re.VERBOSE,
)
_QUOTED = re.compile(r"'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"")
_BEFORE_QUOTE = re.compile(r"(?:[A-Za-z0-9_.-]+=)?")
_SUBSTITUTION = re.compile(r"`|[$<>]\(|\$\{|\$[0-9@*#?$!-]|\$\[")
_SUBSTITUTION_QUOTED = re.compile(r"`|\$\(|\$\{(?![A-Za-z_][A-Za-z0-9_]*\})|\$[0-9@*#?$!\[-]")
_SUBSTITUTION_LITERAL = re.compile(r"`|\$[({]")
_EXPANSION = re.compile(r"\$[A-Za-z_{]")
_TILDE = re.compile(r"~|.*[=:]~", re.DOTALL)
_OPERATOR = re.compile(r"&&|\|\||;(?!;)|\|(?!&)|[()]")


def read_tokens(text: str) -> tuple[Token, ...]:
    """Split ``text``; raises `CommandRefused` with the code of what it may not hold."""
    if len(text) > LENGTH_LIMIT:
        raise CommandRefused("charset", f"the command is longer than {LENGTH_LIMIT} characters")
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    position, depth = 0, 0
    before: Token | None = None
    while (position := _after_blanks(text, position)) < len(text):
        token, position = _next_token(text, position)
        if isinstance(token, Operator):
            depth += {"(": 1, ")": -1}.get(token.text, 0)
        _refuse_parenthesis(before, token, depth)
        yield token
        before = token
    if depth:
        raise CommandRefused("operator", "a parenthesis is not closed")


def _after_blanks(text: str, position: int) -> int:
    while text.startswith(" ", position):
        position += 1
    return position


def _next_token(text: str, position: int) -> tuple[Token, int]:
    if operator := _OPERATOR.match(text, position):
        return Operator(operator[0]), operator.end()  # type: ignore[arg-type]
    bare = _BARE.match(text, position)
    end = bare.end() if bare else position
    head = text[position:end]
    if head.startswith("#"):  # within a word it begins no comment
        raise _odd_character("#")
    word = Word(head, head, literal=False, expands=_expands(head))
    if quoted := _QUOTED.match(text, end):
        word, end = _quoted_word(head, quoted), quoted.end()
    if end == position or not _ends_word(text, end):
        raise _refusal_at(text, end)
    if not word.text.isprintable():
        raise CommandRefused("charset", f"{_shown(word.text)} holds an invisible character")
    return word, end


def _ends_word(text: str, end: int) -> bool:
    return end == len(text) or text[end] in " ;|&()\n<>"


def _quoted_word(head: str, quoted: re.Match[str]) -> Word:
    if not _BEFORE_QUOTE.fullmatch(head):
        raise CommandRefused(
            "charset",
            f"a quote stands within the word {_shown(head + quoted[0])}",
            hint="put the quotes around the whole word",
        )
    literal = quoted["single"] is not None
    inside = quoted["single"] if literal else quoted["double"]
    if (_SUBSTITUTION_LITERAL if literal else _SUBSTITUTION_QUOTED).search(inside):
        raise _substitution(quoted[0])
    if "\\" in inside:
        raise _odd_character("\\")
    expands = not literal and _EXPANSION.search(inside) is not None
    return Word(head + inside, head, literal=literal, expands=expands)


def _expands(bare: str) -> bool:
    return _EXPANSION.search(bare) is not None or _TILDE.match(bare) is not None


def _refuse_parenthesis(before: Token | None, token: Token, depth: int) -> None:
    opens = isinstance(token, Operator) and token.text == "("
    after_close = isinstance(before, Operator) and before.text == ")"
    if depth < 0 or depth > DEPTH_LIMIT:
        raise CommandRefused("operator", "parentheses do not match or are nested too deeply")
    if (opens and (isinstance(before, Word) or after_close)) or (
        after_close and isinstance(token, Word)
    ):
        raise CommandRefused("operator", "a parenthesis may only wrap whole commands")


def _refusal_at(text: str, position: int) -> CommandRefused:
    if found := _SUBSTITUTION.match(text, position):
        return _substitution(found[0])
    character = text[position]
    if character in "&|;<>\n":
        return CommandRefused(
            "operator",
            f"the operator {_shown(character)} is not admitted",
            hint="commands may be joined by && || ; | only, and both output streams are kept",
        )
    return _odd_character(character)


def _substitution(found: str) -> CommandRefused:
    return CommandRefused(
        "substitution",
        f"{_shown(found)} would be replaced by a shell, and there is none",
        hint="write the value itself",
    )


def _odd_character(character: str) -> CommandRefused:
    if character in "'\"":
        return CommandRefused("charset", "a quote stands within a word, or without its end")
    hint = "put single quotes around the whole word to mean it literally"
    return CommandRefused(
        "charset",
        f"the character {_shown(character)} is not admitted here",
        hint=hint if character in "*?{}!#" else "",
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:80] + "…")  # noqa: PLR2004
