"""The isolated copy that the stages of a run work on.

A workspace knows two things: what is *expected* to stand in it, which only `accept` changes, and
what stands in it, which `capture` finds out. Whatever was ever accepted can be put back, because
its content went to the blobs before anybody could change it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Self

from custody.errors import PathRefused, StorageFailed
from custody.model import layout
from custody.model.change import Change, Entry, Layer, Tree
from custody.model.holdouts import Holdouts
from custody.model.relpath import RelPath
from custody.store.resolve import beneath
from custody.store.rundir import RunDirectory
from custody.workspace.contents import Contents
from custody.workspace.rights import agree, drop_all
from custody.workspace.scan import Scanner
from custody.workspace.tree import change_between, put_tree, read_listing
from custody.workspace.unrecorded import forget_all

if TYPE_CHECKING:
    from custody.workspace.overlay.layer import Layers
    from custody.workspace.overlay.stack import Stack
    from custody.workspace.restore import Difference
    from custody.workspace.snapshot import Snapshot

_CLOSED = "make it readable for you, or leave it out: `exclude` in custody.toml, or .custodyignore"
_PASSES = 100
"""How often a restore looks again before it gives up on a tree that somebody else changes."""


class Workspace:
    """The ``workspace/`` of one run."""

    def __init__(self, run: RunDirectory, expected: dict[str, Entry], base: Tree) -> None:
        self.expected = expected
        """What should stand there, by path."""
        self.base = base
        """What stood there when the run began."""
        self.root = run.root.sub(layout.WORKSPACE, resolver=beneath)
        """The only way into it."""
        self._run = run
        self._contents = Contents(run.blobs)
        self._scanner = Scanner(self._contents)
        self._scanner.look_at_top(self.root)
        self._mode = stat.S_IMODE(os.fstat(self.root.fd).st_mode) | stat.S_IRWXU
        self.layer = Layer(sha256="", entries=0)
        """Digest of the layer that was captured last."""
        self.dropped: tuple[str, ...] = ()
        """Paths that had rights, at the last capture, which nobody gets; see `rights`."""
        self._suspects: set[str] = set()
        """Paths that may differ from what is expected; all others do not."""
        self._snapshot: Snapshot | None = None

    @classmethod
    def create(
        cls,
        run: RunDirectory,
        source: str | None,
        *,
        omit: Iterable[str] = (),
        exclude: Iterable[str] = (),
    ) -> Self:
        """Copy ``source`` into a new run, or begin with nothing.

        Left out are the folders in ``omit`` and the run itself, wherever they lie, and what the
        patterns in ``exclude`` and in the source's own ``.custodyignore`` fit. The contents
        are durable after ``run.blobs.sync()``. When it fails no workspace is there.
        """
        if source is None:
            run.root.make_dirs(layout.WORKSPACE)
            return cls(run, {}, put_tree(run.blobs, {}, ()))
        from custody.workspace.snapshot import take_snapshot

        try:
            snapshot = take_snapshot(run, source, omit=omit, exclude=exclude)
        except PathRefused as refused:
            if refused.code == "unreadable":
                refused.hint = _CLOSED
            raise
        workspace = cls(run, snapshot.copy.expected, snapshot.base)
        workspace._scanner.learn(snapshot.copy.seen)
        workspace._snapshot = snapshot
        return workspace

    def remember_source(self) -> None:
        """Let the next run over the same source know of this one; after it was published."""
        if self._snapshot is not None:
            self._snapshot.remember(self._run)
            self._snapshot = None

    @classmethod
    def reopen(cls, run: RunDirectory, base: Tree) -> Self:
        """Take up the workspace of a run that began with ``base``.

        What stands there now is not believed until it has been looked at.
        """
        expected = read_tree(run, base)
        _make_folder(run)
        workspace = cls(run, expected, base)
        for entry in expected.values():
            workspace._contents.trust(entry.sha256)
        workspace._suspects.update(expected)
        return workspace

    @cached_property
    def _stack(self) -> Stack:
        """Most runs have no layers, and need not load what makes them."""
        from custody.workspace.overlay.stack import Stack

        return Stack(self._run, self._contents)

    @property
    def path(self) -> str:
        """The absolute path, for programs that are started in it."""
        return f"{self._run.path}/{layout.WORKSPACE}"

    def begin_stage(
        self,
        folder: str,
        hidden: Collection[RelPath | str] = (),
        *,
        scope: Collection[RelPath | str] | None = None,
    ) -> Layers:
        """Return the layers for an overlay in which a stage sees the workspace.

        What ``hidden`` names is not seen, and with a ``scope`` nothing outside of it. What is
        there of an earlier attempt in the same ``folder`` is set aside.
        """
        self._stay_at_home()
        return self._stack.begin(folder, self.root, self._holdouts(hidden, scope), self.expected)

    def hidden(
        self, paths: Collection[RelPath | str], scope: Collection[RelPath | str] | None
    ) -> list[str]:
        """Return what is there of all that `begin_stage` would hide."""
        return sorted(self._holdouts(paths, scope).paths & self.expected.keys())

    def _holdouts(
        self, hidden: Collection[RelPath | str], scope: Collection[RelPath | str] | None
    ) -> Holdouts:
        if not hidden and scope is None:
            return Holdouts()
        from custody.workspace.overlay.mask import hide, keep_only

        holdouts = hide(hidden, self.expected)
        return holdouts if scope is None else holdouts.and_also(keep_only(scope, self.expected))

    def keep(self, data: bytes) -> None:
        """Keep what a file is going to hold, so that `capture` finds it kept."""
        self._contents.keep(data)

    def capture(self, layers: Layers | None = None) -> tuple[Change, ...]:
        """Return everything that is not as expected, by path; new contents are durable then.

        With ``layers`` only what a stage left in them is looked at; `layer` vouches for it then.
        Raises `StorageFailed` when the disk does; nothing that a program can leave in the
        workspace makes it fail.
        """
        if layers is not None:
            found, self.layer, self.dropped = self._stack.capture(layers, self.expected)
            return found
        difference = self._without_rights()
        self._forget_unrecorded()
        self._run.blobs.sync()
        changes = [change_between(wanted, actual) for wanted, actual in difference.values()]
        return tuple(sorted(filter(None, changes), key=lambda change: change.path))

    def accept(self, changes: Iterable[Change]) -> None:
        """Expect these changes from now on; the disk is not touched."""
        for change in changes:
            self._suspects.add(change.path)
            if change.after is None:
                self.expected.pop(change.path, None)
            else:
                self.expected[change.path] = change.after
                if change.after.kind == "file":
                    self._contents.trust(change.after.sha256)

    def settle(self, layers: Layers, *, accepted: bool) -> None:
        """Put what was captured and accepted into the workspace, or keep it apart when refused.

        Broken off anywhere, `restore` does the rest.
        """
        if accepted:
            self._stack.promote(layers, self.root, self.expected)
        else:
            self._stack.keep(layers)

    def throw_away(self, layers: Layers | None) -> None:
        """Leave nothing of what a stage changed, in its layers or, without any, in place."""
        if layers is None:
            self.restore(unrecorded=True)
        else:
            self._stack.discard(layers)

    def layered(self) -> list[str]:
        """Return the attempts that have layers, by request; see `Stack.names`."""
        return [*self._stack.names()]

    def sort_out_layers(self, recorded: Mapping[str, Layer | None]) -> None:
        """Put the layers into order that an earlier process left; see `Stack.sort_out`."""
        self._stack.sort_out(recorded)

    def restore(self, *, unrecorded: bool = False) -> list[str]:
        """Put back everything that is not as expected; return the paths.

        What no diff tells of is removed where ``unrecorded`` asks for it; a capture does it too.
        Raises `BlobDamaged` when a content is lost, and `StorageFailed` when the disk fails or
        somebody else keeps changing the workspace.
        """
        from custody.workspace.restore import Restoration

        restoration = Restoration(self._run.root, self._run.blobs)
        restored = self.build()
        for _ in range(_PASSES):
            difference = self._difference()
            if not difference:
                if unrecorded:
                    self._forget_unrecorded()
                self._scanner.touched()
                return sorted(restored)
            restored.update(entry.path for pair in difference.values() for entry in pair if entry)
            restoration.put_back(self.root, difference, self.expected)
        raise StorageFailed(
            "it keeps changing while it is restored",
            where=f"{self.path}/{min(difference)}",
            hint="does another program write there?",
        )

    def _forget_unrecorded(self) -> None:
        """Undo what programs have changed that no diff tells of, since this was done last."""
        for path, modified in forget_all(self.root, self._scanner.touched()):
            self._scanner.put_back(path, modified)
        if stat.S_IMODE(os.fstat(self.root.fd).st_mode) != self._mode:
            os.fchmod(self.root.fd, self._mode)

    def build(self) -> set[str]:
        """Make everything at once where nothing is, if it is much; return the paths.

        A fork does it before it goes on: several processes can help only as long as there is
        one thread. Raises `BlobDamaged` when a content is lost, and `StorageFailed`.
        """
        from custody.store.workers import FEW
        from custody.workspace.build import build_anew

        self._stay_at_home()
        if len(self.expected) <= FEW or os.listdir(self.root.fd):
            return set()
        build = build_anew(self._run, self.expected)
        self._stay_at_home()
        self._scanner.learn(build.seen)
        return set(self.expected)

    def tree(self) -> Tree:
        """Return the pointer to what is expected; its listing is put to the blobs."""
        return put_tree(self._run.blobs, self.expected, self.base.omitted)

    def close(self) -> None:
        """Give the descriptor back."""
        self.root.close()

    def _difference(self) -> Difference:
        """Look at everything; return what is not as expected."""
        self._stay_at_home()
        suspects = self._suspects | self._scanner.look(self.root)
        found = {
            path: (wanted, actual)
            for path in suspects
            if not agree(wanted := self.expected.get(path), actual := self._scanner.entry(path))
        }
        self._suspects = set(found)
        return found

    def _without_rights(self) -> Difference:
        """Do what `_difference` does, after taking away the rights that nobody gets."""
        difference = self._difference()
        found = (actual for _, actual in difference.values() if actual is not None)
        self.dropped = drop_all(self.root, found)
        return self._difference() if self.dropped else difference

    def _stay_at_home(self) -> None:
        """See to it that the root is the folder that programs find under its name."""
        here = os.fstat(self.root.fd)
        try:
            there = os.stat(layout.WORKSPACE, dir_fd=self._run.root.fd, follow_symlinks=False)
        except OSError:
            there = None
        if there is None or (there.st_dev, there.st_ino) != (here.st_dev, here.st_ino):
            _make_folder(self._run)
            self.root.close()
            self.root = self._run.root.sub(layout.WORKSPACE, resolver=beneath)
            here = os.fstat(self.root.fd)
        self.root.path = self.path
        if here.st_mode & stat.S_IRWXU != stat.S_IRWXU:
            os.fchmod(self.root.fd, stat.S_IRWXU)


def read_tree(run: RunDirectory, tree: Tree) -> dict[str, Entry]:
    """Return the entries of a tree by path; raises `BlobDamaged` when its listing is lost."""
    data = run.blobs.get(tree.sha256)
    return read_listing(data, where=f"{run.path}/{run.blobs.path_of(tree.sha256)}")


def differences(run: RunDirectory, expected: Mapping[str, Entry]) -> list[Change]:
    """Return how the workspace on disk differs from what is expected; nothing is changed."""
    scanner = Scanner(Contents(None))
    with run.root.sub(layout.WORKSPACE, resolver=beneath) as root:
        paths = scanner.look(root) | expected.keys()
    pairs = ((expected.get(path), scanner.entry(path)) for path in sorted(paths))
    changes = (change_between(*pair) for pair in pairs if not agree(*pair))
    return [change for change in changes if change is not None]


def _make_folder(run: RunDirectory) -> None:
    """Make the folder where it is missing, in the place of whatever else has its name."""
    try:
        there = run.root.stat(layout.WORKSPACE)
    except PathRefused:
        there = None
    if there is not None and not stat.S_ISDIR(there.st_mode):
        run.root.remove(layout.WORKSPACE)
    run.root.make_dirs(layout.WORKSPACE)
