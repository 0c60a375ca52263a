"""What a stage changed in a big workspace, read from the upper directory of an overlay.

``scan`` finds and hashes the changes; ``changed`` does it again and keeps their contents durably,
as a run does; ``promote`` puts them into the workspace; ``begin`` makes the layers and hides a
folder, ``scoped`` all but one.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from collections.abc import Callable
from typing import TypeVar

from benchmarks.tree import disturb
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.workspace.contents import Contents
from custody.workspace.overlay.layer import Layers, Upper
from custody.workspace.workspace import Workspace

_NEWNS, _NEWUSER, _REC_PRIVATE = 0x20000, 0x10000000, 0x4000 | 0x40000
STAGES = 5
_T = TypeVar("_T")


def main(source: str, folder: str, files: int) -> None:
    """Disturb the same workspace through several overlays; print the least time of each step."""
    times: dict[str, list[float]] = {}
    with RunDirectory.create(folder, "bench") as run:
        workspace = Workspace.create(run, source, omit=())
        for stage in range(STAGES):
            for name, seconds in _stage(workspace, stage, files).items():
                times.setdefault(name, []).append(seconds)
    sys.stdout.write(json.dumps({name: min(all_of) for name, all_of in times.items()}) + "\n")


def _stage(workspace: Workspace, stage: int, files: int) -> dict[str, float]:
    begin, layers = _timed(lambda: workspace.begin_stage(f"n/1.{stage}", ["package_1/module_21"]))
    scoped, _ = _timed(lambda: workspace.begin_stage(f"s/1.{stage}", scope=["package_1"]))
    disturbed = _in_overlay(layers, 2 * stage, files)
    with Root.open(layers.upper) as upper:
        scan, scanned = _timed(
            lambda: Upper.look(upper, Contents(None)).changes(workspace.expected, layers.hidden)
        )
    changed, changes = _timed(lambda: workspace.capture(layers))
    assert changes == scanned
    assert len(changes) == disturbed
    workspace.accept(changes)
    promote, _ = _timed(lambda: workspace.settle(layers, accepted=True))
    return {
        "begin": begin,
        "scoped": scoped,
        "scan": scan,
        "changed": changed,
        "promote": promote,
    }


def _timed(work: Callable[[], _T]) -> tuple[float, _T]:
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def _in_overlay(layers: Layers, turn: int, files: int) -> int:
    """Disturb the merged tree twice in a process of its own; return how many paths changed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            place = _mount(layers)
            changed = disturb(place, turn, files) | disturb(place, turn + 1, files)
            os.write(writer, b"%d" % len(changed))
        finally:
            os._exit(0)
    os.close(writer)
    told = os.read(reader, 64)
    os.close(reader)
    os.waitpid(child, 0)
    assert told, "an overlay cannot be mounted here"
    return int(told)


def _mount(layers: Layers) -> str:
    """Mount the layers in a namespace of this process; return where."""
    user, group = os.getuid(), os.getgid()
    _call("unshare", _NEWNS | (_NEWUSER if user else 0))
    if user:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"0 {user} 1"),
            ("gid_map", f"0 {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    _call("mount", b"none", b"/", None, _REC_PRIVATE, None)
    data = f"lowerdir={':'.join(layers.lower)},upperdir={layers.upper},workdir={layers.work}"
    place = layers.upper + ".merged"
    os.mkdir(place)
    _call("mount", b"overlay", place.encode(), b"overlay", 0, f"{data},userxattr".encode())
    return place


def _call(name: str, *arguments: object) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
