"""A workspace with a layer on top of it, and a program that promotes the layer.

The layer is laid out by hand as the kernel would have left it, so that nothing is mounted.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from custody.model.change import Tree, WorkspaceDiff
from custody.model.record import decode, encode
from custody.store.resolve import own
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.workspace.workspace import Workspace

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.trees import Picture, picture

LARGE = b"large\n" * 800_000
EDITED: Picture = {
    "changed": ("file", 0o755, b"new"),
    "dir": ("dir", 0o755, b""),
    "dir/kept": ("file", 0o644, b"kept"),
    "dir/made": ("dir", 0o755, b""),
    "dir/made/deep": ("file", 0o600, b"deep"),
    "file": ("dir", 0o750, b""),
    "file/inside": ("file", 0o644, b"inside"),
    "large": ("file", 0o644, LARGE),
    "link": ("symlink", 0o777, b"dir/kept"),
    "old": ("file", 0o644, b"no folder any more"),
}
"""What the workspace is after the promotion."""
HIDDEN = ("dir/kept", "old")


def prepare(home: Path) -> Picture:
    """Make a run whose stage has just ended; return what its workspace is before."""
    source = home / "source"
    (source / "dir").mkdir(parents=True)
    (source / "old" / "sub").mkdir(parents=True)
    for name in ("changed", "dir/kept", "dir/gone", "file", "old/sub/x", "gone"):
        (source / name).write_text(Path(name).name)
        (source / name).chmod(0o644)
    with RunDirectory.create(str(home / "runs"), "r1") as run:
        workspace = Workspace.create(run, str(source))
        run.blobs.sync()
        run.publish()
        layers = workspace.begin_stage("n/1.1")
        workspace.close()
        (home / "base").write_bytes(encode(workspace.base))
    _lay_out(Path(layers.upper))
    return picture(home / "runs" / "r1" / "workspace")


def _lay_out(upper: Path) -> None:
    """Leave what a stage would have left."""
    for path, (kind, mode, data) in EDITED.items():
        if path == "dir/kept":
            continue
        if kind == "dir":
            (upper / path).mkdir()
        elif kind == "file":
            (upper / path).write_bytes(data)
        else:
            (upper / path).symlink_to(data.decode())
            continue
        (upper / path).chmod(mode)
    for gone in ("gone", "dir/gone"):
        os.mknod(upper / gone, stat.S_IFCHR, os.makedev(0, 0))
    closed = upper.parent / "work" / "work"
    (closed / "incompat").mkdir(parents=True)
    (closed / "incompat").chmod(0)
    closed.chmod(0)


@contextmanager
def reopened(home: Path) -> Iterator[Workspace]:
    """Take the workspace up as another process would."""
    base = decode((home / "base").read_bytes(), Tree, where="base")
    run = RunDirectory(Root.open(str(home / "runs" / "r1"), resolver=own), "r1")
    workspace = Workspace.reopen(run, base)
    try:
        yield workspace
    finally:
        workspace.close()
        run.close()


def recorded(home: Path) -> WorkspaceDiff:
    """Return what was recorded."""
    return decode((home / "captured").read_bytes(), WorkspaceDiff, where="captured")


def main(home: Path, how: str) -> None:
    """Begin a stage anew, or capture what it left, record it, and settle it."""
    from custody.workspace.overlay.layer import Layers

    with reopened(home) as workspace:
        if how == "begun":
            workspace.begin_stage("n/1.1", HIDDEN)
            return
        folder = f"{home}/runs/r1/layers/n/1.1"
        layers = Layers((workspace.path,), f"{folder}/upper", f"{folder}/work")
        changes = workspace.capture(layers)
        diff = WorkspaceDiff(changes=changes, layer=workspace.layer)
        (home / "recording").write_bytes(encode(diff))
        os.rename(home / "recording", home / "captured")
        if how == "accepted":
            workspace.accept(changes)
        workspace.settle(layers, accepted=how == "accepted")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
