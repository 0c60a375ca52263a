"""What a stage must be able to read so that the programs on its PATH can run.

A folder on PATH is shown, and nothing around it: beside it may lie a project, a home, the source
of the run. What the programs of the usual toolchains need beside their own folder is known by a
mark that each of them leaves (`LAYOUTS`), and those parts are shown. Links are followed: a program
that is one is shown where it really is, and where the link says it is; a link to a folder, or to a
file that nobody can run, leads nowhere.

All of it is read-only inside. Nothing that is shown holds the home, the source or the runs, and
nothing lies in the runs. Of the source no folder is shown but the parts of a marked toolchain: a
virtual environment, or packages of Node, that were made in there. What a path leads to is held to
this as well as the path itself, and links of the source lead to nothing outside that no toolchain
marks: whoever made the repository must not choose what is shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from custody.errors import UsageError
from custody.sandbox.confinement import Confinement
from custody.sandbox.rootfs import SYSTEM, outermost, readable
from custody.store.places import (
    Looked,
    each_leads_to,
    ends_of,
    first_bytes,
    is_file,
    links_in,
    look_into,
    those_there,
)


class Layout(NamedTuple):
    """How a toolchain is known, and what belongs to it."""

    mark: str
    """A path below its folder that nothing else has."""
    parts: tuple[str, ...] = ()
    """What is shown of the folder; all of it when none is named."""


_PROGRAMS_AND_LIBRARIES = ("bin", "include", "lib", "lib64", "libexec", "sbin", "share")
PYTHON_PARTS = ("bin", "include", "lib", "lib64", "share")

LAYOUTS = (
    Layout("pyvenv.cfg", ("bin", "include", "lib", "lib64", "pyvenv.cfg", "share")),
    Layout("lib/node_modules", ("bin", "include/node", "lib/node_modules")),
    Layout("lib/clang", _PROGRAMS_AND_LIBRARIES),
    Layout("lib/ruby", _PROGRAMS_AND_LIBRARIES),
    Layout("lib/rustlib", (*_PROGRAMS_AND_LIBRARIES, "etc")),
    Layout("Cellar", (*_PROGRAMS_AND_LIBRARIES, "Cellar", "opt")),
    Layout("bin/gradle", ("bin", "init.d", "lib")),
    Layout("bin/mvn", ("bin", "boot", "conf", "lib")),
    *(Layout(f"lib/python3.{minor}/os.py", PYTHON_PARTS) for minor in range(8, 24)),
    Layout("conda-meta"),
    Layout("lib/googlecloudsdk"),
    Layout("lib/modules"),  # of Java
    Layout("lib/rt.jar"),
    Layout("libexec/pyenv"),
    Layout("libexec/rbenv"),
    Layout("nvm.sh"),
    Layout("src/runtime/runtime.go"),
)
RUSTUP_PARTS = ("settings.toml", "toolchains", "update-hashes")
ROOTS = ("CONDA_PREFIX", "GOROOT", "JAVA_HOME", "NVM_DIR", "PYENV_ROOT", "VIRTUAL_ENV")
"""Variables that name the folder of a toolchain."""
PROGRAM_FOLDERS = frozenset({"bin", "condabin", "sbin", "shims"})
"""A folder of this name may be that of a toolchain around it."""
MACHINES = frozenset({"dev", "proc", "sys"})
"""Folders of the machine's, of which nothing is a toolchain but what lies ``IN_MEMORY``."""
IN_MEMORY = "/dev/shm/"  # noqa: S108 - what others keep there is not opened
MANY_THINGS = frozenset(
    {"boot", "etc", "home", "lost+found", "media", "mnt", "root", "run", "srv", "tmp", "var"}
)
"""Folders in which there may be one, and which are none."""
PACKAGES = "/opt"
"""Where each folder is a program's own, by the standard of Linux's folders."""

_STORE = re.compile(r"(/.*/store)/[0-9a-z]{32}-[^/]+(?:/|$)")
"""Nix and Guix: everything in a store may need everything else, and nothing in it is private."""
_SYSTEM_PARTS = [[name] for name in SYSTEM]
_VENV_FILE = "pyvenv.cfg"
_VENVS = (".venv", "venv", "env")
"""What the virtual environment of a project is called, in its folder."""
_PYTHON = "lib/python3."
"""How the mark of an installed Python begins."""
_VENV_LIMIT = 4096


def toolchains(
    environment: Mapping[str, str],
    programs: tuple[str, ...] = (),
    *,
    source: str = "",
    runs: str = "",
    named: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """Return the files and folders behind PATH, the variables of toolchains, and ``programs``.

    A program is an absolute path, or a name that PATH finds, which is shown anyway. Those that are
    ``named`` are shown whole, and so is the Python behind a virtual environment of the source.
    What is returned is sorted, and nothing of it lies below another. Raises `UsageError` for one
    that is named and must not be shown.
    """
    search = _Search(*_as_they_are((environment.get("HOME", ""), source, runs)))
    path = [entry.rstrip("/") for entry in environment.get("PATH", "").split(":")]
    search.look_into(filter(_is_candidate, path))
    for entry in path:
        search.add_folder(entry)
    for name in ROOTS:
        search.add_toolchain(environment.get(name, "").rstrip("/"))
    search.add_parts(environment.get("RUSTUP_HOME", "").rstrip("/"), RUSTUP_PARTS)
    for program in programs:
        search.add_program(program)
    for venv in _VENVS if source else ():
        search.add_python_behind(f"{source.rstrip('/')}/{venv}")
    for folder in named:
        search.add_named(folder.rstrip("/"))
    return tuple(outermost(search.shown()))


def seen_at_l3(environment: Mapping[str, str], named: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return everything of this machine that programs can read at L3, whatever they are."""
    found = Confinement(level="L3", workspace="", readable=toolchains(environment, named=named))
    return tuple(readable(found))


class _Search:
    """Collects what is to be shown."""

    def __init__(
        self, home: tuple[str, ...], source: tuple[str, ...], runs: tuple[str, ...]
    ) -> None:
        self._wanted: dict[str, bool] = {}
        """What would be shown, and whether it is part of a marked toolchain."""
        self._kept_whole = (*home, *source, *runs)
        self._source = source
        self._runs = runs
        self._seen: set[str] = set()
        self._known: dict[str, Layout | None] = {}
        self._marks: dict[str, list[str]] = {}
        self._looked: dict[str, Looked] = {}

    def look_into(self, folders: Iterable[str]) -> None:
        """Find out at once what there is to know of some folders of programs."""
        wanted = {folder: _marks_of(os.path.dirname(folder)) for folder in folders}
        self._looked |= look_into(wanted)

    def add_folder(self, folder: str) -> None:
        """Show a folder of programs, what their toolchain needs, and where links in it lead."""
        if folder in self._seen or not _is_candidate(folder):
            return
        self._seen.add(folder)
        if folder not in self._looked:
            self.look_into([folder])
        real, links, self._marks[os.path.dirname(folder)] = self._looked[folder]
        if _is_no_toolchain(real):
            return
        self.add_toolchain_of(folder, real)
        self._show(folder)
        for place in (place for link in links for place in link):
            self._add_file(place)
        if self._leads_out(folder, real):
            self.add_toolchain_of(real, real)
        else:
            self.add_folder(real)

    def add_program(self, file: str) -> None:
        """Show a program, and what it needs."""
        if not file.startswith("/") or not is_file(file):
            return
        folder, name = os.path.split(file)
        links = [place for link in links_in(folder, only=name) for place in link]
        for place in (file, *links):
            self._add_file(place)

    def add_toolchain_of(self, folder: str, real: str) -> bool:
        """Show the toolchain that a folder of programs belongs to; tell whether it is one."""
        around, _, name = folder.rpartition("/")
        if store := _STORE.match(f"{real}/"):
            self._show(store[1])
            self._show(around)
            return True
        if folder.endswith("/node_modules/.bin"):
            self._show(around, marked=True)
            return True
        if folder.startswith(f"{PACKAGES}/"):
            self._show("/".join(folder.split("/")[:3]))
        return name in PROGRAM_FOLDERS and self.add_toolchain(around)

    def add_toolchain(self, around: str) -> bool:
        """Show the parts of a toolchain if there is one; tell whether there is."""
        if not _is_candidate(around) or around in self._source:
            return False  # a source that marks itself is one all the same
        if around not in self._known:
            found = self._marks.get(around)
            self._known[around] = layout = _layout_of(
                around, those_there(_marks_of(around)) if found is None else found
            )
            self.add_parts(around, layout.parts or ("",) if layout else ())
            if layout and layout.mark == _VENV_FILE:
                self._add_behind(around)
        return self._known[around] is not None

    def _add_behind(self, venv: str) -> None:
        if _lies_in(venv, self._source):
            self.add_python_behind(venv)
            return
        for folder in _behind_venv(venv):
            self.add_folder(folder)

    def add_python_behind(self, venv: str) -> None:
        """Show the Python that made a virtual environment; nothing that is no Python.

        The environment is the repository's, which must not choose what is shown.
        """
        for folder in _behind_venv(venv):
            around = os.path.dirname(folder)
            layout = _layout_of(around, those_there(_marks_of(around)))
            if layout is not None and layout.mark.startswith(_PYTHON):
                self.add_toolchain(around)

    def add_named(self, path: str) -> None:
        """Show what the user has named; raises `UsageError` for what must not be shown."""
        if path.split("/")[1:2] in _SYSTEM_PARTS:
            return  # it is shown anyway
        self._show(path)
        if not self._may_be_seen(path, *each_leads_to([path])):
            raise UsageError(
                f"{path or '/'} cannot be shown to stages",
                where="toolchains",
                hint="name a folder by its absolute path that holds neither your home nor the "
                "source nor runs, and lies in neither of the last two",
            )

    def add_parts(self, around: str, parts: Iterable[str]) -> None:
        """Show some of a folder."""
        if _is_candidate(around):
            for part in parts:
                self._show(f"{around}/{part}".rstrip("/"), marked=True)

    def _add_file(self, file: str) -> None:
        if file in self._seen or not _is_candidate(file):
            return
        self._seen.add(file)
        above, found, _ = file.rpartition("/node_modules/")
        if found:
            self._show(f"{above}/node_modules", marked=True)
        elif not self.add_toolchain_of(folder := os.path.dirname(file), folder):
            self._show(file)

    def shown(self) -> list[str]:
        """Return what may be seen of all that was found and is there."""
        ends = ends_of(self._wanted)
        return [path for path, real in ends.items() if self._may_be_seen(path, real)]

    def _show(self, path: str, *, marked: bool = False) -> None:
        self._wanted[path] = marked or self._wanted.get(path, False)

    def _may_be_seen(self, path: str, real: str) -> bool:
        """Tell whether a path may be shown; in the source only what is marked is."""
        closed = self._runs if self._wanted[path] else (*self._runs, *self._source)
        if not _is_candidate(path) or _is_no_toolchain(real) or self._leads_out(path, real):
            return False
        holds_private = any(_holds(it, place) for it in (path, real) for place in self._kept_whole)
        return not holds_private and not _lies_in(path, closed) and not _lies_in(real, closed)

    def _leads_out(self, path: str, real: str) -> bool:
        """Whether a path of the source leads to where not every stage can look anyway."""
        is_known = _lies_in(real, self._source) or real.split("/")[1:2] in _SYSTEM_PARTS
        return _lies_in(path, self._source) and not is_known


def _marks_of(around: str) -> list[str]:
    return [f"{around}/{layout.mark}" for layout in LAYOUTS]


def _layout_of(around: str, found: list[str]) -> Layout | None:
    """Return what kind of toolchain a folder is, by the first of the marks that it has."""
    return next((one for one in LAYOUTS if found and found[0] == f"{around}/{one.mark}"), None)


def _behind_venv(around: str) -> Iterator[str]:
    """Yield the folder of the interpreter that a virtual environment was made by."""
    settings = first_bytes(f"{around}/{_VENV_FILE}", _VENV_LIMIT)
    for line in settings.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "home":
            yield value.strip().rstrip("/")


def _as_they_are(paths: Iterable[str]) -> list[tuple[str, ...]]:
    """Return each place as it was named and as it is; nothing for none."""
    named = [path.rstrip("/") for path in paths]
    both = zip(named, each_leads_to(named), strict=True)
    return [tuple({*pair}) if pair[0].startswith("/") else () for pair in both]


def _is_candidate(path: str) -> bool:
    """Whether a path could be shown at all; the system's programs are shown anyway."""
    parts = path.split("/")
    is_path = len(parts) > 1 and not parts[0] and bool(parts[1])
    return is_path and parts[1] not in SYSTEM and not _is_no_toolchain(path)


def _is_no_toolchain(path: str) -> bool:
    """Whether a path leads to a folder of the machine's that holds much else, or to all of it."""
    first, *further = path.strip("/").split("/")
    if first in MACHINES:
        return not path.startswith(IN_MEMORY)
    return not first or (first in MANY_THINGS and not further)


def _lies_in(path: str, places: tuple[str, ...]) -> bool:
    return any(_holds(place, path) for place in places)


def _holds(above: str, path: str) -> bool:
    return f"{path}/".startswith(f"{above}/")
