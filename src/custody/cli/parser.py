"""From words to options: which command, and what it was given.

Only the parser of the command that was asked for gets arguments.
"""

from __future__ import annotations

import argparse
import importlib
import os
from collections.abc import Container, Mapping
from typing import Any, NamedTuple, NoReturn, cast

from custody.cli.commands import commands, names
from custody.cli.options import agents
from custody.cli.result import Arguments, CommandModule
from custody.errors import UsageError
from custody.model.levels import MEANINGS
from custody.variables import VARIABLES
from custody.version import VERSION

ABOUT = "Run agent work as deterministic pipelines, and keep evidence that can be checked."
_EPILOG = """\
RUN is a run's id, a unique prefix of it, the path of its directory, or `last`.

Settings come from the flag, then the environment, then custody.toml or [tool.custody] in \
pyproject.toml, then ~/.config/custody/custody.toml. The files of a project cannot lower \
protection.

Exit codes: 0 done, 1 failed or wrong usage, 2 internal error, 3 waiting for a person, 130 \
interrupted.
"""
_EXAMPLE = """\
example:
  custody init && custody run pipeline.dot
"""
_PROGRAM = "custody"
_BEFORE = ("-h", "--help", "--version", "--json", "--debug")
"""Options that need no command before them."""
_USUAL = 80
_LEAST = 40
WIDTH = _USUAL - 2
"""Of help where nobody says another."""


def epilog(width: int = WIDTH) -> str:
    """Return what stands below the commands: agents, levels and variables from where they are."""
    named = f"{', '.join(agents())}, or an installed one; `custody doctor` describes each"
    return "\n\n".join(
        (
            *(_filled(text, width) for text in _EPILOG.split("\n\n")),
            f"agents:\n{_filled(named, width, indent=2)}",
            _listed("levels of confinement:", MEANINGS, width),
            _listed("environment variables:", VARIABLES, width),
            _EXAMPLE,
        )
    )


def _filled(text: str, width: int, indent: int = 0, first: str = "") -> str:
    from textwrap import fill

    blanks = " " * indent
    return fill(
        text,
        width,
        initial_indent=first or blanks,
        subsequent_indent=blanks,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _listed(title: str, meanings: Mapping[str, str], width: int) -> str:
    """Return names and meanings; a name that is too long for its column has a line of its own."""
    room = min(max(map(len, meanings)), 20)
    lines = [title]
    for name, meaning in meanings.items():
        fits = len(name) <= room
        lines += [] if fits else [f"  {name}"]
        lines.append(_filled(meaning, width, room + 4, f"  {name if fits else '':<{room}}  "))
    return "\n".join(lines)


class Parsed(NamedTuple):
    """A command, and what it was given."""

    command: CommandModule
    options: argparse.Namespace


class _Parser(argparse.ArgumentParser):
    """Raises what `main` understands instead of ending the process.

    It speaks alike on every Python: newer ones would colour the help, and guess at other words.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.color = False
        self.suggest_on_error = False

    def format_help(self) -> str:
        """Return the help, filled; what stands below all commands is made only now."""
        width = _columns() - 2
        self.description = _filled(self.description or "", width)
        if self.prog == _PROGRAM:
            self.epilog = epilog(width)
        return super().format_help()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Take words behind an option for what is repeated, as if they stood before it."""
        found, rest = super().parse_known_args(args, namespace)
        repeated = [one.dest for one in self._actions if one.nargs == "*" and not one.choices]
        if repeated and not any(word.startswith("-") for word in rest):
            setattr(found, repeated[-1], [*getattr(found, repeated[-1]), *rest])
            rest = []
        return found, rest

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"{self.prog} --help")


class _Asked(Exception):
    """The user asked for a text that needs no command: help, or the version."""


class _Help(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_given: object) -> NoReturn:
        raise _Asked(parser.format_help())


class _Version(argparse.Action):
    def __call__(self, *_given: object) -> NoReturn:
        raise _Asked(f"custody {VERSION}\n")


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Lines up the names of the commands, as Python does from 3.13 on."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        for inner in self._iter_indented_subactions(action):
            length = len(self._format_action_invocation(inner)) + self._current_indent
            self._action_max_length = max(self._action_max_length, length)


def _formatter(prog: str) -> argparse.HelpFormatter:
    return _Formatter(prog, max_help_position=28, width=_columns() - 2)


def _columns() -> int:
    """Return the terminal's width; `argparse` would load `shutil` and all that comes with it."""
    given = os.environ.get("COLUMNS", "")
    try:
        columns = int(given) if given.isdecimal() else os.get_terminal_size().columns
    except OSError:
        return _USUAL  # no terminal
    return max(columns, _LEAST) if columns else _USUAL


def parse(words: list[str]) -> Parsed | str:
    """Return the command and its options, or the text that was asked for instead.

    Raises `UsageError`.
    """
    _refuse_bytes(words)
    words = words or ["--help"]
    name = next((word for word in words if not word.startswith("-")), "")
    if name and name not in names():
        raise UsageError(f"no command named {name!r}", hint=_nearest(name))
    if not name and (unknown := [word for word in words if word not in _BEFORE]):
        raise _unknown("", unknown)
    listed = {name: ""} if name and words[0] == name else commands()
    parser = build(listed, [name])
    try:
        options, unknown = parser.parse_known_args(words)
    except _Asked as asked:
        return str(asked)
    if unknown:
        raise _unknown(options.command, unknown)
    return Parsed(module(options.command), options)


def module(name: str) -> CommandModule:
    """Return the module of a command."""
    return cast("CommandModule", importlib.import_module(f"custody.cli.commands.{name}"))


def build(listed: Mapping[str, str], complete: Container[str]) -> argparse.ArgumentParser:
    """Return the parser of the commands in ``listed``, which says in a line what each one does.

    Only those in ``complete`` have their arguments. The others are there for help, which words
    before the command alone can ask for.
    """
    parser = _Parser(
        prog=_PROGRAM,
        description=ABOUT,
        formatter_class=_formatter,
        allow_abbrev=False,
        add_help=False,
    )
    _add_help(parser)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    subparsers = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True, parser_class=_Parser
    )
    for name, line in listed.items():
        command = subparsers.add_parser(
            name,
            help=line,
            formatter_class=_formatter,
            allow_abbrev=False,
            add_help=False,
        )
        if name in complete:
            _declare(command, module(name))
    return parser


def _declare(parser: argparse.ArgumentParser, command: CommandModule) -> None:
    parser.description = command.ABOUT
    title = "example" if len(command.EXAMPLES) == 1 else "examples"
    parser.epilog = "\n  ".join([f"{title}:", *command.EXAMPLES])
    declare(parser, command)
    _add_help(parser)


def declare(parser: Arguments, command: CommandModule) -> None:
    """Declare a command's own arguments, and those that every command has."""
    command.arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON on standard output")
    parser.add_argument(
        "--debug", action="store_true", help="print the traceback of an internal error"
    )


def _refuse_bytes(words: list[str]) -> None:
    """Refuse words that are not text: what a run is told is written into its journal."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise UsageError(f"{word!a} is not UTF-8", hint="give it another name") from None


def _unknown(command: str, words: list[str]) -> UsageError:
    """Return the error for words that a command does not take, with the nearest option."""
    from difflib import get_close_matches

    known = _Options()
    if command:
        declare(known, module(command))
    near = get_close_matches(words[0].partition("=")[0], (*known.names, *_BEFORE), n=1)
    asked = f"{_PROGRAM} {command}".rstrip()
    hint = f"did you mean {near[0]}?" if near else f"{asked} --help"
    return UsageError(f"unrecognized arguments: {' '.join(words)}", hint=hint)


class _Options:
    """Takes down what the options of a command are called."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def add_argument(self, *names: str, **_settings: Any) -> Any:
        """Note the options among the names of an argument."""
        self.names += [name for name in names if name.startswith("--")]
        return argparse.Namespace()


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, names(), n=1)
    return f"did you mean {near[0]!r}?" if near else "`custody --help` lists the commands"


def _add_help(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-h", "--help", action=_Help, nargs=0, help="print this help and exit")
