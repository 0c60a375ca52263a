"""Launchers: the commands that start a tool, here or on another machine.

A launcher is put in front of the watcher of a session, which it starts on some node. What it says,
its exit status first of all, is not believed: only what the watcher and the tool write down counts.
So a launcher that custody does not know is used like any other, by a command line in the user's own
configuration.

    CUSTODY_LAUNCHER="srun"                       which one is used
    CUSTODY_LAUNCHER_DSUB_I="dsub-i -q big"       its command line

The same names with ``SKILLPILOT`` in the place of ``CUSTODY`` count where these say nothing, and
the user's own configuration (`custody.store.own_settings`) where no variable does. A repository
says nothing about it: a command line can be any program.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from custody.errors import MalformedDocument, UsageError
from custody.model.own_settings import OwnLauncher, OwnSkills
from custody.model.session import SessionKind
from custody.store.own_settings import user_file
from custody.store.places import is_program

PREFIXES = ("CUSTODY", "SKILLPILOT")
"""What names of variables begin with; the first that is set counts."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Launcher(NamedTuple):
    """How the watcher of a session is started."""

    name: str
    doc: str
    command: tuple[str, ...] = ()
    """What is put in front of the watcher's command line; nothing starts it here."""
    stays: bool = False
    """Whether it stays for as long as what it has started."""
    through_shell: bool = False
    """Whether it joins its arguments and hands them to a shell."""
    origin: str = "default"
    """Who has said what its command line is: a variable, a file, or nobody."""

    def starts(self, kind: SessionKind) -> SessionKind:
        """Return a session that is started by this launcher."""
        return replace(
            kind,
            launcher=self.command,
            launcher_stays=self.stays,
            launcher_shell=self.through_shell,
        )


LOCAL = Launcher("local", "Starts the tool on this machine.")
DSUB_I = Launcher("dsub-i", "Starts it as an interactive job of a farm.", ("dsub-i",), stays=True)
SRUN = Launcher(
    "srun",
    "Starts it as a job of Slurm.",
    ("srun", "--ntasks=1", "--job-name=custody", "--input=none", "--unbuffered"),
    stays=True,
)
BSUB = Launcher(
    "bsub",
    "Starts it as an interactive job of LSF.",
    ("bsub", "-I"),
    stays=True,
    through_shell=True,
)
QRSH = Launcher(
    "qrsh",
    "Starts it as an interactive job of Grid Engine.",
    ("qrsh", "-now", "no", "-cwd", "-V"),
    stays=True,
    through_shell=True,
)
LAUNCHERS = (LOCAL, DSUB_I, SRUN, BSUB, QRSH)
"""Those that custody knows. The lines of the last two are templates: they were never tried."""


def known(own: OwnSkills, environment: Mapping[str, str]) -> tuple[Launcher, ...]:
    """Return every launcher with its command line as it is in force.

    Raises `MalformedDocument` where the user's own configuration or a variable is wrong.
    """
    names = {one.name: one for one in LAUNCHERS}
    for name in own.launchers:
        if _NAME.fullmatch(name) is None:
            what = f"{name!r} cannot be the name of a launcher"
            raise MalformedDocument("type", what, where=user_file(environment))
        names.setdefault(name, Launcher(name, "One of yours."))
    return tuple(_in_force(one, own, environment) for one in names.values())


def choose(named: str, own: OwnSkills, environment: Mapping[str, str]) -> Launcher:
    """Return the launcher to use; ``named`` is what the command line says, or empty.

    Where nobody says anything, ``dsub-i`` is used on a machine that has it, and no launcher on
    others. Raises `UsageError` for one that nobody knows, and what `known` raises.
    """
    launchers = {one.name: one for one in known(own, environment)}
    name = named or _variable("LAUNCHER", environment)[1] or own.launcher
    if not name:
        return launchers[
            (DSUB_I if find(launchers[DSUB_I.name].command, environment) else LOCAL).name
        ]
    if name not in launchers:
        close = difflib.get_close_matches(name, launchers, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(launchers)}"
        raise UsageError(f"no launcher named {name!r}", hint=hint)
    return launchers[name]


def find(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the file of a command line's program; empty where there is none."""
    program = command[0] if command else ""
    folders = [""] if program.startswith("/") else environment.get("PATH", "").split(":")
    places = (f"{folder}/{program}" if folder else program for folder in folders)
    return next((place for place in places if place.startswith("/") and is_program(place)), "")


def _in_force(launcher: Launcher, own: OwnSkills, environment: Mapping[str, str]) -> Launcher:
    """Return a launcher as the user has it."""
    name = re.sub(r"[^A-Z0-9]", "_", launcher.name.upper())
    variable, text = _variable(f"LAUNCHER_{name}", environment)
    if said := own.launchers.get(launcher.name):
        launcher = _as_told(launcher, said, user_file(environment))
    if text:
        launcher = launcher._replace(command=_words(text, variable), origin=variable)
    _refuse_relative(launcher)
    return launcher


def _as_told(launcher: Launcher, said: OwnLauncher, file: str) -> Launcher:
    stays = launcher.stays if said.stays is None else said.stays
    through = said.through_shell
    shell = launcher.through_shell if through is None else through
    return launcher._replace(command=said.command, stays=stays, through_shell=shell, origin=file)


def _variable(name: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the variable that is set, and what it says."""
    for prefix in PREFIXES:
        if text := environment.get(f"{prefix}_{name}", "").strip():
            return f"{prefix}_{name}", text
    return "", ""


def _words(text: str, variable: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise MalformedDocument("type", str(error), where=variable) from None


def _refuse_relative(launcher: Launcher) -> None:
    """Raise `MalformedDocument` for a program that depends on where one is."""
    program = launcher.command[0] if launcher.command else ""
    if "/" in program and not program.startswith("/"):
        what = f"the launcher {launcher.name} has no absolute path: {program!r}"
        hint = "write the whole path, or a name that stands in PATH"
        raise MalformedDocument("type", what, where=launcher.origin, hint=hint)
