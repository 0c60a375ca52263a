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
from custody.patterns import later
from custody.store import own_settings
from custody.store.places import leads_to, lies_in

DEFAULTS = {
    "pipeline": "",
    "workdir": "",
    "runsdir": DEFAULT_RUNSDIR,
    "agent": "",
    "confinement": "",
    "ingest": "false",
    "output_limit": "",
    "logbook": "",
    "artifacts": "",
}
"""Every setting and its default."""
LISTS = ("exclude",)
"""Settings that are lists of texts, empty where nothing is said."""
FILES = {"custody.toml": (), "pyproject.toml": ("tool", "custody")}
"""Each file, and the table of it that is custody's."""


_PASSWORD = later(r"(://[^:/@]*):[^@]*@")


class Setting(NamedTuple):
    """A setting as it is in force."""

    name: str
    value: str
    origin: str
    """The flag, the name of the variable or of the file, or the default."""

    def shown(self) -> Setting:
        """Return it as it may be printed: an address without its password."""
        return self._replace(value=_PASSWORD.sub(r"\1:…@", self.value))


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
        if own_settings.is_given(file) and (value := _settings(file, table).get(name)):
            _refuse_lowering(name, value, file)
            return Setting(name, value, file)
    file = user_file()
    if own_settings.is_given(file) and (value := _settings(file, ()).get(name)):
        return Setting(name, value, file)
    if name == "runsdir":
        _refuse_link_out(DEFAULT_RUNSDIR)
    return Setting(name, DEFAULTS[name], "default")


def entries(name: str) -> tuple[str, ...]:
    """Return the entries of a setting that is a list; raises as `setting` does.

    In the environment a colon stands between them.
    """
    if value := os.environ.get(f"CUSTODY_{name.upper()}"):
        return tuple(filter(None, value.split(":")))
    for file, table in (*FILES.items(), (user_file(), ())):
        if own_settings.is_given(file) and (found := _settings(file, table).get(name)):
            return tuple(found)
    return ()


def user_file() -> str:
    """Return where the user's own settings are, whether there are any or not."""
    return own_settings.user_file(os.environ)


def _refuse_lowering(name: str, value: str, file: str) -> None:
    """Raise `MalformedDocument` for what a repository must not decide."""
    leaves = os.path.isabs(value) or os.pardir in value.split("/") or not lies_in(value, os.curdir)
    if name == "confinement" and value != LEVELS[-1]:
        what = f"a repository cannot lower the confinement to {value}"
    elif name == "runsdir" and leaves:
        what = f"a repository cannot have runs written to {value}"
    elif name == "workdir" and leaves:
        what = f"a repository cannot have {value} copied into a workspace"
    elif name == "pipeline" and leaves:
        what = f"a repository cannot name the pipeline {value}"
    elif name in {"logbook", "artifacts"}:
        what = f"a repository cannot say where evidence is kept: {name}"
    else:
        return
    flag = "the command line" if name == "pipeline" else f"--{name}"
    hint = f'use {flag} or CUSTODY_{name.upper()}, or put `{name} = "{value}"` into {user_file()}'
    raise MalformedDocument("protection", what, where=file, hint=hint)


def _refuse_link_out(runsdir: str) -> None:
    """Raise `MalformedDocument` for a link that may have come with a repository, as files did."""
    if lies_in(runsdir, os.curdir):
        return
    real = leads_to(os.path.abspath(runsdir))
    what = f"a repository cannot have runs written to {real}"
    hint = f'if the link is yours, use --runsdir or put `runsdir = "{real}"` into {user_file()}'
    raise MalformedDocument("protection", what, where=runsdir, hint=hint)


def _settings(file: str, table: tuple[str, ...]) -> dict[str, Any]:
    found: Any = own_settings.read_toml(file)
    for key in table:
        found = found.get(key, {}) if isinstance(found, dict) else {}
    where = f"{file} [{'.'.join(table)}]" if table else file
    if not isinstance(found, dict):
        raise MalformedDocument("type", "it must be a table", where=where)
    users = file == user_file()
    elsewhere = () if users else (own_settings.CHANGES,)  # read where a change is made
    for key, value in found.items():
        if key in own_settings.OWN:
            if not users:
                hint = f"only you can say that, in {user_file()}"
                raise MalformedDocument("key", f"a repository has no {key}", where=where, hint=hint)
            continue
        if key in elsewhere:
            continue
        _refuse_odd(key, value, where)
    others = {*own_settings.OWN, own_settings.CHANGES}
    return {name: value for name, value in found.items() if name not in others}


def _refuse_odd(key: str, value: object, where: str) -> None:
    """Raise `MalformedDocument` for a setting that nobody can mean."""
    if key not in {*DEFAULTS, *LISTS}:
        hint = f"known: {', '.join((*DEFAULTS, *LISTS))}"
        raise MalformedDocument("key", f"no setting named {key!r}", where=where, hint=hint)
    texts = value if key in LISTS and isinstance(value, list) else [value]
    if key in LISTS and not isinstance(value, list):
        hint = f'{key} = ["…"]'
        raise MalformedDocument("type", f"{key} must be a list", where=where, hint=hint)
    for text in texts:
        if not isinstance(text, str):
            what = f"{key} must be a string" if key in DEFAULTS else f"{key} must hold strings"
            hint = "put quotes around the value"
            raise MalformedDocument("type", what, where=where, hint=hint)
        if not text.isprintable():
            raise MalformedDocument("type", f"{key} holds a control character", where=where)
