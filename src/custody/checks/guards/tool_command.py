r"""Whether a tool's command stays in the workspace, as far as its text tells; and how to run it.

A command is refused (code ``tool_command``) when a word of it, or a part of one, is

    ``~``             at its beginning: a home directory; so are ``$HOME`` and ``$OLDPWD``
    ``..``            as a whole component of a path, also where an empty variable, an empty
                      substitution or a pattern such as ``.*`` would give one
    an absolute path  ``/`` at its beginning, or after a variable that the text gives no value;
                      ``file:`` URLs, and others that name no host; ``$PWD-old``, which is
                      beside the workspace

A part begins at the beginning of a word, after a blank or a quote within quotes, after
``= : , @ ( [ {`` and, for a path, right after one option letter (``-C/etc``), or after
several where a folder of the system follows (``-xf/etc/x``). What stands in quotes is read as
a nested shell would read it, too. ``HEAD~1``,
``./...``, ``a..b``, ``{1..3}`` and ``https://host/x`` are not meant. A lone ``/`` is, and so
is ``/dev/null``: both output streams are kept anyway.

This reads text, and a shell can make a path out of anything: what the filter can name it
names, and the boundary is the confinement of the process.
"""

from __future__ import annotations

import string

from custody.errors import CommandRefused
from custody.model.request import Command, CommandLine

SHELL = "sh"
LENGTH_LIMIT = 32_000
"""Characters in one command; the kernel takes a few more."""

_PLAIN = frozenset(string.ascii_letters + string.digits + " ._-/")
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
    if len(text) > LENGTH_LIMIT or "\0" in text:
        what = f"it holds a NUL, or more than {LENGTH_LIMIT} characters"
        hint = "put the command into a script of the workspace"
        raise CommandRefused("tool_command", what, hint=hint)
    plain = _plain_words(text)
    if not plain or any(map(_may_leave, plain)):
        _check_words(text)


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
    words = _plain_words(text) or _read_words(text)
    if words and words[0] in _SHELL_ONLY:
        raise _needs_shell(words[0])
    return words


def to_command_line(text: str) -> CommandLine:
    """Return what to start for ``text``: its own program, or a shell where one is needed."""
    argv = (SHELL, "-c", text) if needs_shell(text) else split_words(text)
    return CommandLine(text=text, commands=(Command(argv=argv),))


def _plain_words(text: str) -> tuple[str, ...]:
    """Return the words of a text that no rule need look at closely; none for any other.

    Most commands are of this kind, and they need neither grammar below.
    """
    return tuple(text.split()) if _PLAIN.issuperset(text) else ()


def _may_leave(word: str) -> bool:
    if word.startswith("-"):
        return "/" in word or ".." in word
    return word.startswith("/") or ".." in word.split("/")


def _check_words(text: str) -> None:
    from custody.checks.guards.outside import as_written, way_out
    from custody.checks.guards.shell_text import TooManyWords, shell_words

    try:
        for word in shell_words(text):
            if reason := way_out(word, text):
                raise _refusal(as_written(word), reason)
    except TooManyWords:
        raise CommandRefused(
            "tool_command",
            "it has more lines, alternatives or nested quotes than can be looked at",
            hint="put the command into a script of the workspace",
        ) from None


def _read_words(text: str) -> tuple[str, ...]:
    from custody.checks.guards.environment import assigned_name
    from custody.checks.guards.words import Word, read_tokens

    words: list[str] = []
    for token in read_tokens(text):
        if not isinstance(token, Word) or token.expands or "[" in token.bare:
            raise _needs_shell(token.text)
        if not words and assigned_name(token.bare):
            raise _needs_shell(token.text)
        words.append(token.text)
    return tuple(words)


def _needs_shell(word: str) -> CommandRefused:
    return CommandRefused("tool_command", f"{word!r} needs a shell")


def _refusal(word: str, reason: str) -> CommandRefused:
    shown = word if len(word) <= 80 else word[:80] + "…"  # noqa: PLR2004
    hint = "name paths relative to the workspace, or put the command into a script there"
    if "/dev/null" in word:
        hint = "both output streams are kept as evidence; leave the redirect out"
    return CommandRefused("tool_command", f"{shown!r} {reason}", hint=hint)
