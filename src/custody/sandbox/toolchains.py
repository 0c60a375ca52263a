"""Which folders a stage must be able to read so that the programs on its PATH can run.

Programs often stand in folders of the user's home, or are listeners to other folders. What is found
here is read-only inside, and never a home, nor a folder above one, nor one that tools keep
passwords in.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from custody.sandbox.rootfs import SYSTEM
from custody.store.places import first_bytes_of, folders_of, is_program, is_there, real_path

ROOTS = (
    "CONDA_PREFIX",
    "GOROOT",
    "JAVA_HOME",
    "NVM_DIR",
    "PYENV_ROOT",
    "RUSTUP_HOME",
    "VIRTUAL_ENV",
)
"""Variables that name the folder of a toolchain."""
PROGRAM_FOLDERS = frozenset({".bin", "bin", "sbin", "shims"})
"""A folder of this name belongs to the toolchain around it."""
PRIVATE = frozenset({"", ".local", ".cargo", ".config"})
"""Folders of a home that hold programs, and secrets beside them."""

_VENV_FILE = "pyvenv.cfg"
_VENV_LIMIT = 4096


def toolchains(environment: Mapping[str, str], programs: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the folders behind PATH, the variables of toolchains, and ``programs``, sorted.

    A program is a name that PATH finds, or an absolute path.
    """
    home = environment.get("HOME", "").rstrip("/")
    wanted = {environment.get(name, "") for name in ROOTS}
    path = environment.get("PATH", "")
    for entry in path.split(":"):
        wanted.add(_toolchain_of(entry.rstrip("/"), home))
    for program in programs:
        wanted |= {_toolchain_of(folder, home) for folder in _folders_of(program, path)}
    settings = first_bytes_of([f"{folder}/{_VENV_FILE}" for folder in wanted], _VENV_LIMIT)
    wanted |= {behind for data in settings for behind in _behind_venv(data)}
    return tuple(sorted(folders_of([path for path in wanted if _may_be_shown(path, home)])))


def _toolchain_of(entry: str, home: str) -> str:
    around, _, name = entry.rpartition("/")
    private = {f"{home}/{folder}".rstrip("/") for folder in PRIVATE}
    return around if name in PROGRAM_FOLDERS and around and around not in private else entry


def _folders_of(program: str, path: str) -> Iterator[str]:
    """Yield where a program stands, and where it really is when that is a link."""
    file = program if "/" in program else _on_path(program, path)
    if file.startswith("/") and is_there(file):
        real = real_path(file)
        package = real.partition("/node_modules/")
        yield os.path.dirname(file)
        yield f"{package[0]}/node_modules" if package[1] else os.path.dirname(real)


def _on_path(name: str, path: str) -> str:
    found = (f"{entry}/{name}" for entry in path.split(":") if entry)
    return next(filter(is_program, found), "")


def _behind_venv(settings: bytes) -> Iterator[str]:
    """Yield the interpreter's folder that the settings of a virtual environment lead to."""
    for line in settings.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "home":
            yield value.strip().rpartition("/")[0]


def _may_be_shown(path: str, home: str) -> bool:
    if not path.startswith("/"):
        return False
    if path.split("/")[1] in SYSTEM:
        return False  # shown anyway
    return not f"{home}/".startswith(f"{path.rstrip('/')}/")
