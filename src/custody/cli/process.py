"""The process of one command: how it begins, and how it ends."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from types import SimpleNamespace
from typing import Any, NoReturn

from custody.cli import main
from custody.loading import interrupt
from custody.store.arguments import hide_arguments

COLLECT_AFTER = 50_000
"""Objects that are new before Python looks for cycles among them.

Python's own 700 make it look again and again at modules that are only being loaded.
"""
_PROGRAM_AND_COMMAND = 2
"""What others may know of how the process was started: ``custody run``, and not with what."""
_MAY_HAVE_AN_ENDING = ("atexit", "importlib.metadata")
"""Whoever wants to be called at the end needs the first; code of others comes by the second."""


def run() -> NoReturn:
    """Run the command that the process was started for, and end with its exit code.

    Where nobody else can have anything to do at the end, the process ends at once: what Python
    would still do is take every module apart, and that takes longer than a run of three nodes.
    It does so too where an agent was given up: Python would wait for what that has started.
    Nothing is lost by it: every answer is flushed line by line, files are written through
    `custody.store`, which keeps nothing back, and every command ends its own threads.
    """
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])
    _load_undisturbed()
    _load_argparse()
    _read_names_as_utf8()
    code = main(prepare=_prepare)
    if _alone() or _given_up():
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        os._exit(code)
    sys.exit(code)


def _read_names_as_utf8() -> None:
    """Start again where Python would read the names of files in another way than as UTF-8.

    The records hold names as UTF-8; whoever reads them under another locale must find the same.
    """
    if sys.getfilesystemencoding() != "utf-8":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606


def _load_undisturbed() -> None:
    """Let Ctrl-C wait for what is being loaded; a process in the background goes on ignoring it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)


def _prepare() -> None:
    """Do what is worth its time only when there is a command to execute."""
    _load_msgspec()
    hide_arguments(shown=len(sys.orig_argv) - len(sys.argv) + _PROGRAM_AND_COMMAND)


def _load_argparse() -> None:
    """Load argparse as if it spoke no other language, as custody does not.

    Whether somebody has translated its messages is looked for by two more modules.
    """
    with _in_place_of("gettext", _ENGLISH):
        import argparse  # noqa: F401


def _load_msgspec() -> None:
    """Load msgspec as if typing_extensions were not installed, and what it needs without platform.

    It takes `typing` then, which gives it the same in every Python that custody runs on, and
    loading the other takes half as long as loading msgspec. Should a version come that cannot do
    without, whoever imports it next gets both. Of `platform`, which takes as long as ten modules
    of custody, `uuid` wants to know nothing but the system's name. What makes JSON schemas is
    loaded when somebody asks for one.
    """
    with (
        suppress(ImportError),
        _in_place_of("typing_extensions", None),
        _in_place_of("platform", _SYSTEM),
        _in_place_of(_SCHEMAS, _SCHEMAS_LATER),
    ):
        import msgspec  # noqa: F401


@contextmanager
def _in_place_of(name: str, other: SimpleNamespace | None) -> Iterator[None]:
    """Let imports find something lighter than a module; None is how Python spells "not there".

    A module that is loaded already stays, and whoever imports it later gets it itself.
    """
    if name in sys.modules:
        yield
        return
    sys.modules[name] = other  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]


def _one_or_several(one: str, several: str, count: int) -> str:
    return one if count == 1 else several


def _schema(*arguments: Any, **settings: Any) -> Any:
    return import_module(_SCHEMAS).schema(*arguments, **settings)


def _schema_components(*arguments: Any, **settings: Any) -> Any:
    return import_module(_SCHEMAS).schema_components(*arguments, **settings)


_SCHEMAS = "msgspec._json_schema"
_SCHEMAS_LATER = SimpleNamespace(schema=_schema, schema_components=_schema_components)
"""What `msgspec.json` takes from that module."""
_ENGLISH = SimpleNamespace(gettext=lambda message: message, ngettext=_one_or_several)
"""What argparse takes from `gettext`."""
_SYSTEM = SimpleNamespace(system=lambda: os.uname().sysname)
"""What `uuid` takes from `platform`."""


def _given_up() -> bool:
    """Tell whether an agent is still at work that nobody waits for: the run was interrupted."""
    threading = sys.modules.get("threading")
    if threading is None:
        return False
    return any(thread.name == "custody-agent" for thread in threading.enumerate())


def _alone() -> bool:
    """Tell whether this thread is the only one, and no code of others may wait for the end."""
    threading = sys.modules.get("threading")
    return (threading is None or threading.active_count() == 1) and not any(
        name in sys.modules for name in _MAY_HAVE_AN_ENDING
    )
