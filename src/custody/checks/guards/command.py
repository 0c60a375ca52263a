r"""Which commands of a plan may run, and what is started for them: no shell is involved.

A text is read by the word-only grammar of `custody.checks.guards.words` and brought into its
normal form: wrapping parentheses go, a leading ``cd DIR &&`` becomes the working directory, a
leading ``export NAME=value &&`` and assignments before a program become its environment. What
is left is one command, or a chain joined by ``&&``, ``||``, ``;`` or ``|``. In a chain, one
command with its own ``cd`` may stand in parentheses. Each command must begin, word for word,
with an entry of the allowlist, and must hold no flag that `custody.checks.guards.flags` knows
to undo the entry's meaning; words that the entry itself spells are never questioned.

Refusals, in the order in which they are looked for:

    charset substitution operator    the text is not made of words (see ``words``)
    cwd                              ``cd`` to a place that is not inside the workspace
    env substitution                 an assignment that is not admitted (see ``environment``)
    program                          a program named by its path
    flag                             a flag that makes an allowed program do something else
    prefix                           no entry of the allowlist begins the command
    operator                         the same three, for one command of a chain

Arguments are not judged: they belong to a program that was allowed, and what it reaches with
them is the business of the process's confinement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from custody.checks.guards.environment import ALLOWED, admit_value, assigned_name
from custody.checks.guards.words import Operator, Token, Word, read_tokens
from custody.errors import CommandRefused, PathRefused
from custody.model.relpath import RelPath
from custody.model.request import Command, CommandLine

JoinedBy = Literal["", "&&", "||", ";", "|"]
Entry = tuple[str, ...]
"""The words that an allowed command begins with."""

_TO_ALLOW = "verification.allowed_commands says what commands may begin with"


class _Scope(NamedTuple):
    """What the wrappers around a command say about it."""

    workdir: str
    environment: dict[str, str]
    known_only: bool = False
    """Whether no variable may be set but those that are known by name."""


# BEHAVIOR_ID: B007
def admit(
    text: str, allowed: Sequence[str], *, workdir: str = "", known_only: bool = False
) -> CommandLine:
    """Return what to start for ``text``; raises `CommandRefused` when it may not run.

    ``allowed`` holds what a command may begin with; when it is empty, nothing may run.
    ``workdir`` is where the commands start, relative to the workspace; with ``known_only`` they
    may set no variable but those that are known by name.
    """
    entries = read_allowed(allowed)
    line = parse_command(text, workdir=workdir, known_only=known_only)
    start = _inside("", workdir)
    for command in line.commands:
        try:
            _admit_one(command, entries, start)
        except CommandRefused as refused:
            if len(line.commands) == 1:
                raise
            raise CommandRefused(
                "operator",
                f"in a chain every command must be allowed; {_shown(command)}: {refused.what}",
                hint=refused.hint,
            ) from None
    return line


def read_allowed(entries: Sequence[str]) -> tuple[Entry, ...]:
    """Return each entry as its words; raises `CommandRefused` for one that is no plain words."""
    return tuple(_entry(entry) for entry in entries)


def parse_command(text: str, *, workdir: str = "", known_only: bool = False) -> CommandLine:
    """Return the normal form of ``text``, whether or not it is allowed."""
    tokens = read_tokens(text)
    tokens, scope = _peel(tokens, _Scope(_inside("", workdir), {}, known_only))
    commands = [_command(part, scope, joiner) for joiner, part in _split(tokens)]
    return CommandLine(text=text, commands=tuple(commands))


def _entry(entry: str) -> Entry:
    tokens = read_tokens(entry)
    words = [token for token in tokens if isinstance(token, Word)]
    if not words or len(words) < len(tokens) or any(word.expands for word in words):
        raise CommandRefused("prefix", f"the allowed command {entry!r} is not made of plain words")
    program = words[0]
    if assigned_name(program.bare) or program.text.startswith("/"):
        raise CommandRefused(
            "program",
            f"the allowed command {entry!r} does not begin with the name of a program",
            hint="name it as it is found on PATH, or relative to verification.workdir",
        )
    return tuple(word.text for word in words)


def _admit_one(command: Command, entries: tuple[Entry, ...], start: str) -> None:
    from custody.checks.guards.options import find_flag

    program = command.argv[0]
    known = [entry for entry in entries if entry[0] == program]
    if "/" in program and (not known or command.workdir != start):
        raise CommandRefused(
            "program",
            f"the program {program!r} is named by its path",
            hint="name it as the allowed command does",
        )
    begins = [entry for entry in known if command.argv[: len(entry)] == entry]
    trusted = max(map(len, begins), default=1)
    if known and (found := find_flag(command.argv, trusted)):
        word, why = found
        raise CommandRefused(
            "flag",
            f"{word!r} {why}",
            hint="an entry of verification.allowed_commands that spells it out admits it",
        )
    if not begins:
        raise CommandRefused("prefix", f"{_shown(command)} is not allowed", hint=_TO_ALLOW)


def _peel(tokens: tuple[Token, ...], scope: _Scope) -> tuple[tuple[Token, ...], _Scope]:
    """Take off what wraps the command: parentheses, ``cd … &&`` and ``export … &&``."""
    while True:
        if _wrapped(tokens):
            tokens = tokens[1:-1]
            continue
        head = _words_before_and(tokens)
        if not head or head[0].text not in {"cd", "export"}:
            return tokens, scope
        scope = _change_directory(head, scope) if head[0].text == "cd" else _export(head, scope)
        tokens = tokens[len(head) + 1 :]


def _wrapped(tokens: tuple[Token, ...]) -> bool:
    """Whether the first parenthesis is closed by the last token."""
    if not tokens or tokens[0] != Operator("("):
        return False
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token == Operator("(")) - (token == Operator(")"))
        if depth == 0:
            return index == len(tokens) - 1
    return False


def _words_before_and(tokens: tuple[Token, ...]) -> list[Word]:
    """Return the words that a first ``&&`` follows; none when another operator comes first."""
    head: list[Word] = []
    for token in tokens:
        if isinstance(token, Operator):
            return head if token.text == "&&" else []
        head.append(token)
    return []


def _change_directory(words: list[Word], scope: _Scope) -> _Scope:
    _refuse_expansion(words)
    if len(words) != 2 or not words[1].text:  # noqa: PLR2004
        raise CommandRefused("cwd", "cd needs the name of one directory")
    if any("$PWD" in value for value in scope.environment.values()):
        raise CommandRefused("cwd", "cd comes after $PWD was used", hint="put cd first")
    return scope._replace(workdir=_inside(scope.workdir, words[1].text))


def _inside(start: str, directory: str) -> str:
    """Return ``directory`` below ``start``; ``./x`` and ``x/`` are taken for ``x``."""
    name = directory.removesuffix("/") if directory.strip("/") else directory
    while name.startswith("./"):
        name = name[2:]
    if name in {"", "."}:
        return start
    try:
        return str(RelPath.parse(f"{start}/{RelPath.parse(name)}" if start else name))
    except PathRefused as refused:
        raise CommandRefused(
            "cwd", f"cd may only go to a directory of the workspace: {refused.what}"
        ) from None


def _export(words: list[Word], scope: _Scope) -> _Scope:
    if len(words) == 1:
        raise CommandRefused("env", "export needs an assignment")
    environment = dict(scope.environment)
    for word in words[1:]:
        if not (name := assigned_name(word.bare)):
            raise CommandRefused("env", f"{word.text!r} after export is not NAME=value")
        environment[name] = _assigned(word, name, scope)
    return scope._replace(environment=environment)


def _assigned(word: Word, name: str, scope: _Scope) -> str:
    value = word.text[len(name) + 1 :]
    return admit_value(name, value, literal=word.literal, known_only=scope.known_only)


def _split(tokens: tuple[Token, ...]) -> list[tuple[JoinedBy, tuple[Token, ...]]]:
    """Cut a chain at the operators that stand outside parentheses."""
    parts: list[tuple[JoinedBy, tuple[Token, ...]]] = []
    joiner: JoinedBy = ""
    first = depth = 0
    for index, token in enumerate(tokens):
        if isinstance(token, Word):
            continue
        if token.text == "(":
            depth += 1
        elif token.text == ")":
            depth -= 1
        elif not depth:
            parts.append((joiner, tokens[first:index]))
            joiner, first = token.text, index + 1
    parts.append((joiner, tokens[first:]))
    if len(parts) > 1 and not all(part for _, part in parts):
        raise CommandRefused("operator", "no command stands on one side of an operator")
    return parts


def _command(tokens: tuple[Token, ...], scope: _Scope, joiner: JoinedBy) -> Command:
    tokens, scope = _peel(tokens, scope)
    words = [token for token in tokens if isinstance(token, Word)]
    if len(words) < len(tokens):
        raise CommandRefused(
            "operator", "parentheses within a chain may hold one command, after cd and export"
        )
    environment = dict(scope.environment)
    assigned = ""
    while words and (name := assigned_name(words[0].bare)):
        environment[name] = _assigned(words[0], name, scope)
        assigned = name
        del words[0]
    if not words and assigned and assigned not in ALLOWED:
        raise CommandRefused("env", f"{assigned} is set, and no program is named")
    if not words:
        raise CommandRefused("prefix", "no program is named")
    _refuse_expansion(words)
    return Command(
        argv=tuple(word.text for word in words),
        workdir=scope.workdir,
        environment=environment,
        joined_by=joiner,
    )


def _refuse_expansion(words: list[Word]) -> None:
    for word in words:
        if word.expands:
            raise CommandRefused(
                "substitution",
                f"{word.text!r} would be replaced by a shell, and there is none",
                hint="write the value itself, or put single quotes around the whole word",
            )


def _shown(command: Command) -> str:
    text = " ".join(command.argv)
    return repr(text if len(text) <= 200 else text[:200] + "…")  # noqa: PLR2004
