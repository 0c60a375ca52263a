r"""Whether a tool's command stays in the workspace, as far as its text tells; and how to run it.

A command is refused (code ``tool_command``) when a word of it, or a part of one, is

    ``~``             at its beginning: a home directory; so are ``$HOME`` and ``$OLDPWD``
    ``..``            as a whole component of a path, also where an empty variable or a
                      pattern such as ``.*`` would give one
    an absolute path  ``/`` at its beginning, and ``file:`` URLs with one

A part begins at the beginning of a word, after a blank or a quote within quotes, after
``= : , @ ( [ {`` and, for a path, right after one option letter (``-C/etc``). ``HEAD~1``,
``./...``, ``a..b``, ``{1..3}`` and ``https://host/x`` are not meant. A lone ``/`` is, and so
is ``/dev/null``: both output streams are kept anyway.

This reads text, and a shell can make a path out of anything: what the filter can name it
names, and the boundary is the confinement of the process.
"""

from __future__ import annotations

import re

from custody.checks.guards.environment import assigned_name
from custody.checks.guards.shell_text import GLOB, TooManyWords, shell_words
from custody.checks.guards.words import Word, read_tokens
from custody.errors import CommandRefused
from custody.model.request import Command, CommandLine

SHELL = "sh"

_FILE_URL = re.compile(r"\bfile:/", re.IGNORECASE)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s\"'`]*", re.IGNORECASE)
_BEFORE = r"(?:\A|(?<=[\s\"'`=:,@(\[{;|&])|(?<=:[-+?]))"
_HOME = re.compile(rf"{_BEFORE}(?:(?<!\A=)~(?![\s=])|\$\{{?(?:HOME|OLDPWD)\b)")
_ABSOLUTE = re.compile(rf"{_BEFORE}(?:-[A-Za-z])?/|[<>]/[^/\s<>]+/")
_BOUNDARY = re.compile(r"(?::[-+?]|[\s\"'`=:,@()\[\]{};|&])+")
_OPTION_LETTER = re.compile(r"-[A-Za-z](?=\.\.(?:/|\Z))")
_VARIABLE = re.compile(r"\$\{[^}]*\}|\$[A-Za-z_][A-Za-z0-9_]*|\$[0-9@*#?!$-]")
_DOT_PATTERN = re.compile(rf"\.[^{GLOB}]*[{GLOB}]")
_PATTERN = str.maketrans(GLOB, "*?[]")

_SHELL_ONLY = frozenset({
    "!", ".", ":", "[[", "{", "}", "alias", "bg", "break", "case", "cd", "command", "continue",
    "declare", "do", "done", "elif", "else", "esac", "eval", "exec", "exit", "export", "fc", "fg",
    "fi", "for", "function", "getopts", "hash", "if", "in", "jobs", "let", "local", "popd",
    "pushd", "read", "readonly", "return", "select", "set", "shift", "shopt", "source", "then",
    "time", "times", "trap", "type", "typeset", "ulimit", "umask", "unalias", "unset", "until",
    "wait", "while",
})  # fmt: skip
"""First words that only a shell understands."""


def check_tool_command(text: str) -> None:
    """Raise `CommandRefused` when ``text`` names a place outside the workspace, or nothing."""
    if not text.strip():
        raise CommandRefused("tool_command", "the command is empty")
    try:
        for word in shell_words(text):
            _check_word(word)
    except TooManyWords:
        raise CommandRefused("tool_command", "a brace expansion gives too many words") from None


def needs_shell(text: str) -> bool:
    """Whether only a shell can run ``text``.

    That is so for operators, expansions, patterns, assignments, backslashes, quotes within a
    word, and what shells have built in; other texts are words, and `split_words` gives them.
    """
    try:
        split_words(text)
    except CommandRefused:
        return True
    return False


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of ``text``; raises `CommandRefused` when it needs a shell."""
    words: list[str] = []
    for token in read_tokens(text):
        if not isinstance(token, Word) or token.expands or "[" in token.bare:
            raise CommandRefused("tool_command", f"{token.text!r} needs a shell")
        if not words and (token.text in _SHELL_ONLY or assigned_name(token.bare)):
            raise CommandRefused("tool_command", f"{token.text!r} needs a shell")
        words.append(token.text)
    return tuple(words)


def to_command_line(text: str) -> CommandLine:
    """Return what to start for ``text``: its own program, or a shell where one is needed."""
    argv = (SHELL, "-c", text) if needs_shell(text) else split_words(text)
    return CommandLine(text=text, commands=(Command(argv=argv),))


def _check_word(word: str) -> None:
    if _HOME.search(word):
        raise _refusal(word, "names a home directory")
    if _FILE_URL.search(word) or _ABSOLUTE.search(_URL.sub("", word)):
        raise _refusal(word, "holds an absolute path")
    if _climbs(word) or _climbs(_VARIABLE.sub("", word)):
        raise _refusal(word, "holds a .. component")


def _climbs(word: str) -> bool:
    return any(
        _means_parent(component)
        for part in _BOUNDARY.split(word)
        for component in _OPTION_LETTER.sub("", part).split("/")
    )


def _means_parent(component: str) -> bool:
    if component == "..":
        return True
    if not _DOT_PATTERN.match(component):
        return False
    from fnmatch import fnmatchcase

    return fnmatchcase("..", component.translate(_PATTERN))


def _refusal(word: str, what: str) -> CommandRefused:
    shown = word.translate(_PATTERN)
    shown = shown if len(shown) <= 80 else shown[:80] + "…"  # noqa: PLR2004
    hint = "name paths relative to the workspace, or put the command into a script there"
    if "/dev/null" in word:
        hint = "both output streams are kept as evidence; leave the redirect out"
    return CommandRefused("tool_command", f"{shown!r} {what}", hint=hint)
