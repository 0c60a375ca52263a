"""What a stage changed on an overlay is told as a walk over the merged tree would tell it."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from custody.checks.gates.writes import judge_holdouts
from custody.model.change import Change, Entry
from custody.store.root import Root
from custody.workspace.contents import Contents
from custody.workspace.overlay.layer import Layers
from custody.workspace.scan import Scanner
from custody.workspace.tree import change_between
from custody.workspace.workspace import Workspace
from support import edits
from support.overlay import become_nobody, in_child, inside
from support.sweep import examples
from support.trees import Picture, differing, picture
from support.workspaces import Site, kinds

Stage = tuple[list[edits.Edit], bool, list[str]]
"""What is done, whether it is to be accepted, and what is hidden meanwhile."""


def walk(top: str, expected: dict[str, Entry]) -> tuple[Change, ...]:
    """Return what a walk over a whole tree finds to differ."""
    scanner = Scanner(Contents(None))
    with Root.open(top) as root:
        paths = scanner.look(root) | expected.keys()
    changes = (change_between(expected.get(path), scanner.entry(path)) for path in paths)
    return tuple(sorted(filter(None, changes), key=lambda change: change.path))


def act(workspace: Workspace, layers: Layers, work: Callable[[Path], None]) -> Picture:
    """Do something on the layers; return what was seen, having compared both ways to tell it."""

    def there(top: str) -> tuple[tuple[Change, ...], Picture]:
        assert not [path for path in picture(Path(top)) if layers.hidden.covers(path)]
        work(Path(top))
        return walk(top, expected), picture(Path(top))

    before = picture(Path(workspace.path))
    seen = {path: what for path, what in before.items() if not layers.hidden.covers(path)}
    expected = {
        path: entry for path, entry in workspace.expected.items() if not layers.hidden.covers(path)
    }
    walked, merged = inside(layers, there)
    assert picture(Path(workspace.path)) == before
    changes = workspace.capture(layers)
    assert changes == walked
    # Of a folder that cannot be kept nothing more is told: it is refused as it is.
    others = [change.path for change in changes if change.after and change.after.kind == "other"]
    closed = tuple(f"{path}/" for path in others if merged[path][0] == "dir")
    found = [path for path in differing(seen, merged) if not path.startswith(closed)]
    assert sorted({change.path for change in changes}) == found
    for change in changes:
        assert_told(change.before, seen.get(change.path))
        assert_told(change.after, merged.get(change.path))
    return merged


def assert_told(entry: Entry | None, there: tuple[str, int, bytes] | None) -> None:
    """Compare an entry with what was really there."""
    if entry is None or there is None:
        assert entry is None
        assert there is None
        return
    kind, mode, data = there
    assert entry.mode == mode
    assert entry.kind in {kind, "other"}
    if entry.kind in {"file", "symlink"}:
        assert (entry.sha256, entry.bytes) == (hashlib.sha256(data).hexdigest(), len(data))


def rehearse(
    home: Path,
    initial: list[edits.Edit],
    stages: list[Stage],
) -> None:
    site = Site(home)
    edits.apply_all(site.source, [edit for edit in initial if edit[0] != "fifo"])
    workspace = site.workspace()
    top = Path(workspace.path)
    for number, (some, keep, hidden) in enumerate(stages):
        layers = workspace.begin_stage(f"node/1.{number}", hidden)
        before = picture(top)
        merged = act(workspace, layers, partial(edits.apply_all, some=some))
        changes = workspace.capture(layers)
        good = not judge_holdouts(changes, layers.hidden)
        good &= not any(change.after and change.after.kind == "other" for change in changes)
        if keep and good:
            workspace.accept(changes)
            workspace.settle(layers, accepted=True)
            hidden_ones = {p: what for p, what in before.items() if layers.hidden.covers(p)}
            assert picture(top) == merged | hidden_ones
            assert not Path(layers.upper).exists()
        else:
            workspace.settle(layers, accepted=False)
            assert picture(top) == before
            assert os.listdir(os.path.dirname(layers.upper)) == ["upper"]
        assert workspace.capture() == ()
    site.close()
    shutil.rmtree(home)


SCRIPTS = {
    "initial": st.lists(edits.EDITS, max_size=15),
    "stages": st.lists(
        st.tuples(
            st.lists(edits.ALL_EDITS, max_size=8),
            st.booleans(),
            st.lists(edits.paths(), max_size=2),
        ),
        max_size=4,
    ),
}
MANY = settings(
    max_examples=examples(15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.req("P-04", "G-29")
@MANY
@given(**SCRIPTS)
@example(
    initial=[("mkdir", "b/a", 0o755)],
    stages=[([("remove", "b", None), ("fifo", "b", None)], False, [])],
)
def test_any_edits_are_found(
    tmp_path_factory: pytest.TempPathFactory, initial: list[edits.Edit], stages: list[Stage]
) -> None:
    rehearse(tmp_path_factory.mktemp("site"), initial, stages)


@pytest.mark.req("P-04", "G-29")
@MANY
@given(**SCRIPTS)
def test_any_edits_are_found_without_the_rights_of_root(
    public: Path, initial: list[edits.Edit], stages: list[Stage]
) -> None:
    # Whoever is root in a user namespace sees into what is closed; the runtime does not.
    initial = [edits.left_open(edit) for edit in initial]
    stages = [(list(map(edits.left_open, some)), keep, hidden) for some, keep, hidden in stages]

    def work() -> None:
        become_nobody()
        home = public / "home"
        home.mkdir()
        rehearse(home, initial, stages)

    try:
        in_child(work)
    finally:
        shutil.rmtree(public / "home", ignore_errors=True)


def move(path: Path, other: Path) -> None:
    """Move a file of a lower layer; to anybody but root its links are shown as other files."""
    if edits.is_root():
        path.rename(other)
    else:
        shutil.copy(path, other)
        path.unlink()


def test_the_kinds_of_changes(site: Site) -> None:
    for name in ("kept", "touched", "closed", "gone", "turned", "moved"):
        (site.source / name).write_text(name)
    for name in ("emptied", "replaced", "hollow", "plain"):
        (site.source / name / "sub").mkdir(parents=True)
        (site.source / name / "sub" / "file").write_text(name)
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")

    def work(top: Path) -> None:
        (top / "touched").touch()
        (top / "closed").chmod(0o600)
        (top / "gone").unlink()
        (top / "turned").unlink()
        (top / "turned").mkdir()
        (top / "turned" / "new").write_text("new")
        move(top / "moved", top / "there")
        (top / "twin").hardlink_to(top / "there")
        shutil.rmtree(top / "emptied" / "sub")
        shutil.rmtree(top / "replaced")
        (top / "replaced").write_text("a file")
        shutil.rmtree(top / "hollow")
        (top / "hollow" / "sub").mkdir(parents=True)
        (top / "plain" / "sub" / "more").symlink_to("file")
        os.mkfifo(top / "pipe")
        os.mkdir(os.fsencode(top) + b"/\xff")

    merged = act(workspace, layers, work)
    changes = workspace.capture(layers)
    assert kinds(changes) == {
        "\\xff": "added",
        "closed": "mode",
        "emptied/sub": "deleted",
        "emptied/sub/file": "deleted",
        "gone": "deleted",
        "hollow/sub/file": "deleted",
        "moved": "deleted",
        "pipe": "added",
        "plain/sub/more": "added",
        "replaced": "modified",
        "replaced/sub": "deleted",
        "replaced/sub/file": "deleted",
        "there": "added",
        "turned": "modified",
        "turned/new": "added",
        "twin": "added",
    }
    assert merged["touched"][2] == b"touched"
    reasons = {c.path: c.after.reason for c in changes if c.after and c.after.kind == "other"}
    assert reasons == {"\\xff": "surrogate", "pipe": "not_regular"}
