"""Nobody who changes the tree meanwhile leads a read or a write outside.

Every act of the store and of the workspace that works on a tree which programs can reach is done
again and again while a folder in it and a link to the outside change places. The same acts go
outside as soon as names are resolved by looking first and opening then: the attack does bite.

A soak tries each act for longer; numbers are printed with ``-rP``.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path

import pytest

from custody import api
from custody.errors import CustodyError, PathRefused
from custody.executors import Stage
from custody.executors.edits import apply_edit, apply_response
from custody.model.answer import FileEdit
from custody.model.relpath import RelPath
from custody.model.request import Ack
from custody.sandbox.caches import StageCaches
from custody.sandbox.environment import make_caches
from custody.sandbox.stage import StageSandbox
from custody.store import files
from custody.store.attempt_folder import AttemptFolder
from custody.store.blobs import Blobs
from custody.store.folders import Folders
from custody.store.hash_cache import HashCache
from custody.store.resolve import Resolver, beneath, own, walk
from custody.store.root import Root
from custody.workspace.contents import Contents
from custody.workspace.copy import TreeCopy
from custody.workspace.overlay.layer import Upper
from custody.workspace.overlay.promote import Promotion
from custody.workspace.scan import Scanner
from custody.workspace.source import SourceTree
from custody.workspace.workspace import differences
from support.hostile import Ground
from support.swap import (
    ONLY_OUTSIDE,
    SECRET,
    Outside,
    race,
    race_until_escape,
    realpath_then_open,
    swapping,
)
from support.sweep import budget, some
from support.workspaces import Site

SECONDS = budget(0.1, 10)
PATIENCE = 60 + SECONDS
LAYER = "layers/other/1.1"


class Yard:
    """A tree in which ``d`` and ``link``, and ``f`` and ``flink``, change places."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.outside = Outside(home / "outside")
        self.folder = home / "ws"
        lay_out(self.folder, self.outside)
        self.inside = os.open(self.folder / "d", os.O_RDONLY)
        self.numbers = itertools.count()

    def put(self, name: str) -> None:
        """Make a file in the folder, wherever it is at the moment."""
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=self.inside))

    def swapped(self) -> tuple[tuple[Path, Path], ...]:
        return pairs(self.folder)


def lay_out(folder: Path, outside: Outside) -> None:
    (folder / "d" / "sub").mkdir(parents=True)
    (folder / "f").write_text("inside")
    for name in ("secret", "sub/x"):
        (folder / "d" / name).write_text("inside")
    (folder / "d" / "text").symlink_to("inside")
    (folder / "link").symlink_to(outside.folder)
    (folder / "flink").symlink_to(outside.folder / "secret")


def pairs(folder: Path) -> tuple[tuple[Path, Path], ...]:
    return (folder / "d", folder / "link"), (folder / "f", folder / "flink")


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    """Return a tree to race in."""
    yard = Yard(tmp_path)
    yield yard
    os.close(yard.inside)


def opened(root: Root) -> object:
    descriptor = root.open_fd("f", files.READ)
    with open(descriptor, "rb") as file:
        return file.read()


def opened_folder(root: Root) -> object:
    descriptor = root.open_dir("d")
    try:
        return os.listdir(descriptor)
    finally:
        os.close(descriptor)


def sub(root: Root) -> object:
    with root.sub("d") as below:
        return below.names()


def scan(root: Root) -> object:
    with root.scan("d") as entries:
        return [entry.name for entry in entries]


def collides(root: Root) -> object:
    try:
        root.refuse_case_collision(RelPath.parse(f"d/{ONLY_OUTSIDE.upper()}"))
    except PathRefused as refused:
        if refused.code != "case_collision":
            raise
        return ONLY_OUTSIDE
    return ""


def create(root: Root, yard: Yard) -> None:
    root.create(f"d/new{next(yard.numbers)}", b"x", sync=False)


def removed(root: Root, yard: Yard) -> None:
    yard.put("gone")
    root.remove("d/gone")


def removed_tree(root: Root, yard: Yard) -> None:
    with suppress(FileExistsError):
        os.mkdir("sub", dir_fd=yard.inside)
    root.remove_tree("d/sub")


def renamed(root: Root, yard: Yard) -> None:
    yard.put("gone")
    root.rename("d/gone", "stolen")


def renamed_into(root: Root, yard: Yard) -> None:
    (yard.folder / "mine").touch()
    root.rename("mine", "d/new")


ROOT_ACTS: dict[str, Callable[[Root, Yard], object]] = {
    "read": lambda root, _: root.read("d/secret"),
    "read_last": lambda root, _: root.read("f"),
    "digest": lambda root, _: root.digest("d/secret"),
    "open_fd": lambda root, _: opened(root),
    "open_dir": lambda root, _: opened_folder(root),
    "sub": lambda root, _: sub(root),
    "stat": lambda root, _: f"inode {root.stat('d/secret').st_ino}",
    "exists": lambda root, _: ONLY_OUTSIDE if root.exists(f"d/{ONLY_OUTSIDE}") else "",
    "scan": lambda root, _: scan(root),
    "names": lambda root, _: root.names("d"),
    "refuse_case_collision": lambda root, _: collides(root),
    "write": lambda root, _: root.write("d/new", b"x"),
    "create": create,
    "write_link": lambda root, _: root.write_link("d/new", "x"),
    "make_dirs": lambda root, _: root.make_dirs("d/deeper/still"),
    "change_mode": lambda root, _: root.change_mode("d/secret", 0o640),
    "rename": renamed,
    "rename_into": renamed_into,
    "remove": removed,
    "remove_tree": removed_tree,
}


@pytest.mark.req("I-06")
@pytest.mark.parametrize("name", ROOT_ACTS)
def test_no_act_of_a_root_leads_outside(name: str, yard: Yard) -> None:
    with swapping(*yard.swapped()):
        for resolver in (beneath, walk, own):
            with Root.open(str(yard.folder), resolver=resolver) as root:
                act = partial(ROOT_ACTS[name], root, yard)
                tally = race(act, yard.outside, seconds=SECONDS / 3, patience=PATIENCE)
            print(f"race {name} {resolver.__name__}: {tally}")  # noqa: T201
            assert tally.escaped == 0
            assert tally.done > 0
            assert tally.refused > 0


@pytest.mark.parametrize("name", some("acts of a root that are led", ROOT_ACTS, 5))
def test_every_act_of_a_root_is_led_outside_by_a_check_before_it(name: str, yard: Yard) -> None:
    path = str(yard.folder)
    with swapping(*yard.swapped()), Root.open(path, resolver=realpath_then_open) as root:
        act = partial(ROOT_ACTS[name], root, yard)
        tally = race_until_escape(act, yard.outside, patience=PATIENCE)
    print(f"race {name} realpath: {tally}")  # noqa: T201
    assert tally.escaped > 0, "the attack does not bite"


class Works:
    """A run whose workspace, stage folders and caches programs can change."""

    def __init__(self, home: Path, resolver: Resolver | None, stack: ExitStack) -> None:
        self.home = home
        self.outside = Outside(home / "outside")
        self.resolver = resolver
        """How to resolve instead of the way that the code chooses."""
        self.numbers = itertools.count()
        self._site = stack.enter_context(closing(Site(home)))
        self.source = self._site.source
        lay_out(self.source, self.outside)
        self.workspace = self._site.workspace()
        self.run = self.workspace._run
        self.folder = Path(self.workspace.path)
        if resolver is not None:
            self.workspace.root.close()
            self.workspace.root = self.run.root.sub("workspace", resolver=resolver)
        self.link(self.stage_folder, Path(self.run.path) / "nodes" / "link")
        self.link(Path(self.run.path) / "cache", Path(self.run.path) / "cachelink")
        self.left = self._leave()
        caches = StageCaches(self.run.root, "other/1.1")
        here = StageSandbox("L3", self.workspace, "other/1.1", caches)
        folder = self.run.stage("other/1.1")
        self.edits = Stage("act", self.run, folder, self.workspace, here, lambda _fact: None)

    def _leave(self) -> Upper:
        """Leave in a layer what a stage would have left there."""
        self.workspace.begin_stage("other/1.1")
        with self.run.root.sub(f"{LAYER}/upper") as upper:
            upper.write("d/secret", b"promoted")
            upper.write("d/more", b"promoted")
            return Upper.look(upper, Contents(self.run.blobs))

    @property
    def stage_folder(self) -> Path:
        return Path(self.run.path) / "nodes" / "act"

    @property
    def upper(self) -> Path:
        return Path(self.run.path) / "layers" / "n" / "1.1" / "upper"

    def link(self, folder: Path, link: Path) -> None:
        folder.mkdir(parents=True)
        link.symlink_to(self.outside.folder)

    def root(self, folder: Path, resolver: Resolver) -> Root:
        return Root.open(str(folder), resolver=self.resolver or resolver)

    def swapped(self, where: str) -> tuple[tuple[Path, Path], ...]:
        """Return what changes places in one part of the run, or in its source."""
        run = Path(self.run.path)
        return {
            "source": pairs(self.source),
            "workspace": pairs(self.folder),
            "layer": (*pairs(self.folder), (self.upper / "d", self.upper / "link")),
            "stage": ((self.stage_folder, run / "nodes" / "link"),),
            "cache": ((run / "cache", run / "cachelink"),),
            "blobs": (self.blobs(),) if where == "blobs" else (),
        }[where]

    def blobs(self) -> tuple[Path, Path]:
        """Run something that changes a file; return its blobs, and a link beside them."""
        home = self.home / "ground"
        home.mkdir()
        ground = Ground(home)
        agent = ground.answers({"edits": [{"path": "made", "content": "inside"}]})
        ground.run('act [prompt="x"] start -> act -> done', agent=agent)
        ground.path("link").symlink_to(self.outside.folder)
        return ground.path("blobs"), ground.path("link")


def copied_in(works: Works) -> object:
    target = works.home / f"copy{next(works.numbers)}"
    target.mkdir()
    blobs = Blobs(works.run.root)
    try:
        with works.root(works.source, own) as origin, Root.open(str(target)) as to:
            copy = TreeCopy(origin, to, blobs)
            copy.take(SourceTree(origin, set()), HashCache(), None)
            copy.fill()
            return copy.expected
    finally:
        shutil.rmtree(target)


def captured(works: Works) -> object:
    changes = works.workspace.capture()
    saw_link("d" in {change.path for change in changes})
    return changes


def saw_link(met: bool) -> None:
    """Count what met the link and did not follow it as refused."""
    if met:
        raise PathRefused("symlink", "it saw the link")


def looked(works: Works) -> object:
    scanner = Scanner(Contents(None))
    with works.root(works.folder, beneath) as root:
        root.read("d/secret")
        return [scanner.entry(path) for path in scanner.look(root)]


def compared(works: Works) -> object:
    found = differences(works.run, works.workspace.expected)
    saw_link("d" in {change.path for change in found})
    return found


def restored(works: Works) -> object:
    with suppress(CustodyError), Root.open(str(works.folder)) as root:
        root.write("d/dirty", b"x")
    paths = works.workspace.restore()
    saw_link("d" in paths)
    return paths


def settled(works: Works) -> object:
    layers = works.workspace.begin_stage("n/1.1")
    try:
        with Root.open(layers.upper) as upper:
            upper.write_link("link", str(works.outside.folder))
            upper.write("d/secret", str(next(works.numbers)).encode())
        changes = works.workspace.capture(layers)
        saw_link([change.path for change in changes] != ["d/secret"])
        works.workspace.accept(changes)
        works.workspace.settle(layers, accepted=True)
    finally:
        with suppress(PathRefused):
            works.run.root.remove_tree("layers/n")
    return changes


def promoted(works: Works) -> None:
    """Put in what a stage left; done again, it comes from the blobs."""
    with works.run.root.sub(f"{LAYER}/upper", resolver=beneath) as layer:
        promotion = Promotion(works.run.root, works.run.blobs, layer, works.left)
        promotion.promote(works.left.changes({}), works.workspace.root, works.workspace.expected)


def edited(works: Works) -> None:
    apply_edit(FileEdit(path="d/new", content="x"), works.edits)


def patched(works: Works) -> object:
    """Change a file that is read first; what is read shows in what is written."""
    name = f"d/{ONLY_OUTSIDE}"
    head = f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n"
    patch = f"{head}@@ -1 +1 @@\n-{SECRET}\n+x\n"
    ack = apply_response(Ack(request_id="r", status="ok", seconds=0), patch, works.edits)
    saw_link(bool(ack.verdicts))
    return ack.status


def kept_as_blob(works: Works) -> object:
    with works.root(works.folder, beneath) as root:
        return Blobs(works.run.root).put_file(root, "d/secret")


def wrote_evidence(works: Works) -> object:
    with works.root(Path(works.run.path), own) as root, closing(Folders(root)) as folders:
        folder = AttemptFolder(root, folders, "nodes/act/1.1", set())
        name = f"stream{next(works.numbers)}"
        folder.open_stream(name).close()
        folder.write(f"{name}.txt", "x")
        return folder.seal(name)


def lay_link(link: Path, folder: Path, target: Path) -> None:
    """Put the link back when it was cleared away, be it under its own name or the folder's."""
    while not link.is_symlink() and not folder.is_symlink():
        with suppress(OSError):
            shutil.rmtree(link)
        with suppress(OSError):
            link.symlink_to(target)


def made_caches(works: Works) -> None:
    run = Path(works.run.path)
    lay_link(run / "cachelink", run / "cache", works.outside.folder)
    was = (run / "cache").is_symlink()
    make_caches(str(run / "cache"))
    saw_link(was)


def told(works: Works) -> object:
    return [*api.changes("r1", runsdir=str(works.home / "ground" / "runs"))]


WORK_ACTS: dict[str, tuple[str, Callable[[Works], object]]] = {
    "copy_tree": ("source", copied_in),
    "capture": ("workspace", captured),
    "look": ("workspace", looked),
    "restore": ("workspace", restored),
    "promote": ("workspace", promoted),
    "apply_edit": ("workspace", edited),
    "put_file": ("workspace", kept_as_blob),
    "evidence": ("stage", wrote_evidence),
}
"""Where somebody else is at work, and what is done there."""
SETTLED_ACTS: dict[str, tuple[str, Callable[[Works], object]]] = {
    "apply_response": ("workspace", patched),
    "differences": ("workspace", compared),
    "settle": ("layer", settled),
    "make_caches": ("cache", made_caches),
    "changes": ("blobs", told),
}
"""Acts that choose themselves how to resolve, so that no other way can be given to them."""


@pytest.mark.req("P-04", "I-06")
@pytest.mark.parametrize("name", [*WORK_ACTS, *SETTLED_ACTS])
def test_no_act_on_a_workspace_leads_outside(name: str, tmp_path: Path) -> None:
    where, act = {**WORK_ACTS, **SETTLED_ACTS}[name]
    with ExitStack() as stack:
        works = Works(tmp_path, None, stack)
        stack.enter_context(swapping(*works.swapped(where)))
        tally = race(partial(act, works), works.outside, seconds=SECONDS, patience=PATIENCE)
    print(f"race {name}: {tally}")  # noqa: T201
    assert tally.escaped == 0
    assert tally.done > 0
    assert tally.refused > 0


@pytest.mark.parametrize("name", some("acts on a workspace that are led", WORK_ACTS, 2))
def test_every_act_on_a_workspace_is_led_outside_by_a_check_before_it(
    name: str, tmp_path: Path
) -> None:
    where, act = WORK_ACTS[name]
    with ExitStack() as stack:
        works = Works(tmp_path, realpath_then_open, stack)
        stack.enter_context(swapping(*works.swapped(where)))
        tally = race_until_escape(partial(act, works), works.outside, patience=PATIENCE)
    print(f"race {name} realpath: {tally}")  # noqa: T201
    assert tally.escaped > 0, "the attack does not bite"
