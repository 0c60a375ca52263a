"""The reference of all commands and the man page, made from what they declare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from custody.cli.parser import ABOUT, declare, epilog, module
from custody.version import VERSION


class Declared:
    """Keeps arguments as they are declared."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str]] = []
        """Each argument as it is written, and its meaning."""
        self.usage: list[str] = []

    def add_argument(self, *names: str, **settings: Any) -> Any:
        """Keep one argument."""
        value = _value(settings)
        if names[0].startswith("-"):
            written = f"{names[-1]} {value}".rstrip()
            self.rows.append((", ".join([*names[:-1], written]), settings["help"]))
            self.usage.append(f"[{written}]" + (" …" if _repeats(settings) else ""))
        else:
            self.rows.append((value, settings["help"]))
            self.usage.append(_positional(value, settings))
        return SimpleNamespace()


def page(commands: Mapping[str, str]) -> str:
    """Return the page, as Markdown."""
    lines = ["# Commands", "", ABOUT, "", "```text", epilog().rstrip("\n"), "```", ""]
    lines += ["| command | does |", "|---|---|"]
    lines += [
        f"| [`custody {name}`](#custody-{name}) | {line} |" for name, line in commands.items()
    ]
    for name in commands:
        lines += _section(name)
    return "\n".join(lines) + "\n"


def man_page(commands: Mapping[str, str]) -> str:
    """Return the man page, as roff."""
    lines = [f'.TH CUSTODY 1 "" "custody {VERSION}" "User Commands"', ".SH NAME"]
    lines += [f"custody \\- {_roff(ABOUT[0].lower() + ABOUT[1:].rstrip('.'))}"]
    lines += [".SH SYNOPSIS", ".B custody", _roff("COMMAND [ARGUMENT …]"), ".SH DESCRIPTION"]
    told = map(_roff, epilog().rstrip("\n").split("\n"))
    lines += [".in 0", ".nf", *told, ".fi", ".in", ".SH COMMANDS"]  # as wide as a terminal is
    for name in commands:
        lines += _man_section(name)
    return "\n".join(lines) + "\n"


def _man_section(name: str) -> Iterator[str]:
    command = module(name)
    declared = Declared()
    declare(declared, command)
    yield f".SS custody {_roff(name)}"
    yield _roff(" ".join(["custody", name, *declared.usage]))
    yield ".PP"
    yield from map(_roff, command.ABOUT.split("\n"))
    for written, text in declared.rows:
        yield from [".TP", f".B {_roff(written)}", _roff(text)]
    yield from [".PP", ".nf", *map(_roff, command.EXAMPLES), ".fi"]


def _roff(line: str) -> str:
    """Return a line of text in which nothing is a request, and dashes stay what they are.

    An ellipsis becomes three dots, as a terminal of ASCII has no other.
    """
    text = line.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def _section(name: str) -> Iterator[str]:
    command = module(name)
    declared = Declared()
    declare(declared, command)
    yield from ["", f"## custody {name}", "", command.ABOUT, ""]
    yield from ["```text", " ".join(["custody", name, *declared.usage]), "```", ""]
    yield from ["| argument | meaning |", "|---|---|"]
    yield from (f"| `{_cell(written)}` | {_cell(text)} |" for written, text in declared.rows)
    yield from ["", "```sh", *command.EXAMPLES, "```"]


def _value(settings: Mapping[str, Any]) -> str:
    """Return what stands for the argument's value; empty for a switch."""
    if settings.get("action") == "store_true":
        return ""
    return str(settings.get("metavar") or "|".join(settings["choices"]))


def _positional(value: str, settings: Mapping[str, Any]) -> str:
    match settings.get("nargs"):
        case "?":
            return f"[{value}]"
        case "+":
            return f"{value} …"
        case _:
            return value


def _repeats(settings: Mapping[str, Any]) -> bool:
    return settings.get("action") == "append"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
