"""Variables that a command may be given, and the values they may have.

A variable that names a program, a library, a search path or options for either would let a
command do what its words do not say: such a one (`custody.checks.guards.steering`) may not be set,
any other may. The variables that are known here name folders or plain values, and stay inside the
workspace: no absolute path, no ``..``. Nothing is replaced in a value but ``$PWD``, which is kept
as those four characters for the executor to replace by the directory the command starts in.

Journals from before version 1.3 know no variables but those named here.
"""

from __future__ import annotations

import re

from custody.checks.guards.steering import steers
from custody.errors import CommandRefused

CACHES = frozenset(
    {
        "CARGO_TARGET_DIR",
        "COVERAGE_FILE",
        "GOCACHE",
        "GOMODCACHE",
        "GOTMPDIR",
        "MYPY_CACHE_DIR",
        "PIP_CACHE_DIR",
        "PYTHONPYCACHEPREFIX",
        "RUFF_CACHE_DIR",
        "TMPDIR",
        "UV_CACHE_DIR",
        "XDG_CACHE_HOME",
        "npm_config_cache",
    }
)
"""Where tools put what they can make again."""

SETTINGS = frozenset(
    {
        "CGO_ENABLED",
        "CI",
        "COLUMNS",
        "FORCE_COLOR",
        "GOARCH",
        "GOMAXPROCS",
        "GOOS",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "NODE_ENV",
        "NO_COLOR",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONHASHSEED",
        "PYTHONUNBUFFERED",
        "PYTHONUTF8",
        "RUST_BACKTRACE",
        "SOURCE_DATE_EPOCH",
        "TZ",
    }
)
"""Plain values that change how a tool prints or behaves, not what it runs."""

ALLOWED = CACHES | SETTINGS
"""Variables whose values are known to stay inside the workspace."""

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_PWD = re.compile(r"\$(?:PWD|\{PWD\})(?=[/:]|\Z)")


def assigned_name(bare: str) -> str:
    """Return the variable that a word beginning with ``bare`` assigns; empty when it is none."""
    found = _ASSIGNMENT.match(bare)
    return found[1] if found else ""


def admit_value(name: str, value: str, *, literal: bool, known_only: bool = False) -> str:
    """Return ``value`` with ``$PWD`` in its one spelling.

    Raises `CommandRefused` with ``env`` for a variable that may not be set or a value that
    leaves the workspace, and with ``substitution`` for anything else a shell would replace.
    ``literal`` says that the value stood in single quotes, ``known_only`` that no variable may be
    set but those in `ALLOWED`.
    """
    if name not in ALLOWED and (known_only or steers(name)):
        raise CommandRefused(
            "env",
            f"the variable {name} may not be set",
            hint="it can change which program runs, or how; leave it out",
        )
    plain = _PWD.sub("", value)
    if "$" in plain or (literal and plain != value):
        raise CommandRefused(
            "substitution",
            f"the value of {name} holds a $ that is not $PWD",
            hint="write the value itself, or $PWD followed by a slash",
        )
    for part in _PWD.sub(".", value).split(":") if name in ALLOWED else ():
        if part.startswith(("/", "~")) or ".." in part.split("/"):
            raise CommandRefused("env", f"the value of {name} leaves the workspace")
    return _PWD.sub("$PWD", value)
