"""Where a setting comes from: the flag, the environment, a file, the default; the first wins.

The files are ``custody.toml`` and the table ``[tool.custody]`` of ``pyproject.toml``, both in
the current folder, and the user's own ``custody/custody.toml`` in the folder for configuration;
the first that has the setting counts. They are opened only when neither flag nor environment
decides. (Attributes of a node and of the graph, which stand between flag and environment, are the
engine's.)

The files of the current folder came with a repository, and whoever wrote it may not be the user:
what lowers protection is refused there.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from custody.api import DEFAULT_RUNSDIR
from custody.errors import MalformedDocument
from custody.model.confinement import LEVELS
from custody.store.places import is_file

DEFAULTS = {
    "runsdir": DEFAULT_RUNSDIR,
    "agent": "",
    "confinement": "",
    "ingest": "false",
    "output_limit": "",
}
"""Every setting and its default."""
FILES = {"custody.toml": (), "pyproject.toml": ("tool", "custody")}
"""Each file, and the table of it that is custody's."""


USER_FILE = "custody/custody.toml"
"""Below the folder for configuration, ``~/.config`` where XDG_CONFIG_HOME names no other."""


class Setting(NamedTuple):
    """A setting as it is in force."""

    name: str
    value: str
    origin: str
    """The flag, the name of the variable or of the file, or the default."""


def setting(name: str, flag: str) -> str:
    """Return the setting called ``name``; ``flag`` is what the command line says, or empty.

    Raises `MalformedDocument` when a file that has to be read is wrong.
    """
    return origin(name, flag).value


def origin(name: str, flag: str) -> Setting:
    """Return the setting and where it comes from; raises as `setting` does."""
    variable = f"CUSTODY_{name.upper()}"
    if flag:
        return Setting(name, flag, "flag")
    if value := os.environ.get(variable):
        return Setting(name, value, variable)
    for file, table in FILES.items():
        if is_file(file) and (value := _settings(file, table).get(name)):
            _refuse_lowering(name, value, file)
            return Setting(name, value, file)
    file = user_file()
    if is_file(file) and (value := _settings(file, ()).get(name)):
        return Setting(name, value, file)
    return Setting(name, DEFAULTS[name], "default")


def user_file() -> str:
    """Return where the user's own settings are, whether there are any or not."""
    named = os.environ.get("XDG_CONFIG_HOME", "")
    folder = named if os.path.isabs(named) else os.path.expanduser("~/.config")
    return os.path.join(folder, USER_FILE)


def _refuse_lowering(name: str, value: str, file: str) -> None:
    """Raise `MalformedDocument` for what a repository must not decide."""
    leaves = os.path.isabs(value) or os.pardir in value.split("/")
    if name == "confinement" and value != LEVELS[-1]:
        what = f"a repository cannot lower the confinement to {value}"
    elif name == "runsdir" and leaves:
        what = f"a repository cannot have runs written to {value}"
    else:
        return
    hint = f'use --{name} or CUSTODY_{name.upper()}, or put `{name} = "{value}"` into {user_file()}'
    raise MalformedDocument("protection", what, where=file, hint=hint)


def _settings(file: str, table: tuple[str, ...]) -> dict[str, str]:
    found: Any = _parse(file)
    for key in table:
        found = found.get(key, {}) if isinstance(found, dict) else {}
    where = f"{file} [{'.'.join(table)}]" if table else file
    if not isinstance(found, dict):
        raise MalformedDocument("type", "it must be a table", where=where)
    for key, value in found.items():
        if key not in DEFAULTS:
            hint = f"known: {', '.join(DEFAULTS)}"
            raise MalformedDocument("key", f"no setting named {key!r}", where=where, hint=hint)
        if not isinstance(value, str):
            hint = "put quotes around the value"
            raise MalformedDocument("type", f"{key} must be a string", where=where, hint=hint)
        if not value.isprintable():
            raise MalformedDocument("type", f"{key} holds a control character", where=where)
    return found


def _parse(file: str) -> dict[str, Any]:
    import tomllib

    from custody.store.root import read_file

    try:
        return tomllib.loads(read_file(file).decode())
    except RecursionError:
        raise MalformedDocument("toml", "it is nested too deeply", where=file) from None
    except ValueError as error:
        raise MalformedDocument("toml", str(error), where=file) from None
