"""Changes of every kind in a workspace, and a folder that they are taken over to."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

from custody.model.change import Change
from custody.patch import SYMLINK
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.workspace.takeover.compare import Comparison
from custody.workspace.takeover.takeover import Takeover, finish, open_target
from custody.workspace.workspace import Workspace
from support.patches import Tree, changed_trees, put_tree

SHOWN: Callable[[Change], bool] = lambda _: False  # noqa: E731


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _told(tree: Tree) -> Tree:
    """Return what a workspace can tell of a tree: names and links that are UTF-8."""
    return {
        path: file
        for path, file in tree.items()
        if _is_utf8(path) and (file.mode != SYMLINK or _is_utf8(file.content))
    }


changes_of_all_kinds = changed_trees().map(lambda pair: (_told(pair[0]), _told(pair[1])))
spoiled = st.integers(0, 1 << 16)


class Taking:
    """A run that made one tree of another, and the folder it was copied from."""

    def __init__(self, home: Path, before: Tree, after: Tree) -> None:
        self.source = home / "source"
        self.source.mkdir(parents=True)
        put_tree(self.source, before)
        self.run = RunDirectory.create(str(home / "runs"), "r1")
        workspace = Workspace.create(self.run, str(self.source))
        self.run.blobs.sync()
        self.run.publish()
        for path in Path(workspace.path).iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        put_tree(Path(workspace.path), after)
        self.changes = workspace.capture()
        workspace.accept(self.changes)
        self.final = dict(workspace.expected)
        workspace.close()

    def take(self, excluded: Callable[[Change], bool] = SHOWN) -> Comparison:
        """Take the changes over to the source."""
        with open_target(str(self.source)) as root:
            finish(root)
            return self.takeover(root, excluded).take()

    def takeover(self, root: Root, excluded: Callable[[Change], bool] = SHOWN) -> Takeover:
        """Return what takes them over to an open folder."""
        return Takeover(root, self.run, self.changes, self.final, excluded)

    def close(self) -> None:
        """Give the descriptors back."""
        self.run.close()
