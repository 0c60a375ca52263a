"""The workspace of a run: what is expected of it, and how it is brought there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from custody.errors import BlobDamaged, PathRefused
from custody.store.resolve import own
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.workspace.workspace import Workspace, differences, read_tree
from support.trees import as_nobody
from support.workspaces import Site, kinds


@pytest.fixture
def workspace(site: Site) -> Workspace:
    """Return a copy of a source with two files."""
    (site.source / "a").write_text("a")
    (site.source / "sub").mkdir()
    (site.source / "sub" / "b").write_text("b")
    return site.workspace()


def top(workspace: Workspace) -> Path:
    return Path(workspace.path)


def test_what_is_expected_is_the_source(workspace: Workspace) -> None:
    assert set(workspace.expected) == {"a", "sub", "sub/b"}
    assert workspace.capture() == ()
    assert read_tree(workspace._run, workspace.base) == workspace.expected


def test_accepted_changes_are_expected_from_then_on(workspace: Workspace) -> None:
    (top(workspace) / "new").write_text("new")
    (top(workspace) / "a").unlink()
    changes = workspace.capture()
    assert kinds(changes) == {"a": "deleted", "new": "added"}
    workspace.accept(changes)
    assert workspace.capture() == ()
    assert set(workspace.expected) == {"new", "sub", "sub/b"}


def test_what_was_not_accepted_is_put_back(workspace: Workspace) -> None:
    (top(workspace) / "sub" / "b").write_text("other")
    (top(workspace) / "new").write_text("new")
    assert workspace.restore() == ["new", "sub/b"]
    assert (top(workspace) / "sub" / "b").read_text() == "b"
    assert not (top(workspace) / "new").exists()


@pytest.mark.parametrize("instead", ["nothing", "a file", "a link"])
def test_a_folder_that_is_gone_is_made_again(workspace: Workspace, instead: str) -> None:
    folder = top(workspace)
    shutil.rmtree(folder)
    if instead == "a file":
        folder.write_text("in the way")
    elif instead == "a link":
        folder.symlink_to("/")
    assert set(workspace.restore()) >= {"a", "sub/b"}
    assert (folder / "sub" / "b").read_text() == "b"


def test_a_folder_that_is_closed_is_opened(workspace: Workspace) -> None:
    top(workspace).chmod(0o500)
    assert workspace.capture() == ()
    assert top(workspace).stat().st_mode & 0o700 == 0o700


def test_what_would_be_hidden_and_is_there(workspace: Workspace) -> None:
    assert workspace.hidden(("a", "missing"), None) == ["a"]
    assert workspace.hidden((), ("sub",)) == ["a"]
    assert workspace.hidden((), None) == []


def test_another_process_believes_nothing_before_it_has_looked(
    site: Site, workspace: Workspace
) -> None:
    (top(workspace) / "a").write_text("changed by a process that died")
    again = site.reopened(workspace)
    assert kinds(again.capture()) == {"a": "modified"}
    assert again.restore() == ["a"]


def test_differences_change_nothing(site: Site, workspace: Workspace) -> None:
    (top(workspace) / "a").write_text("other")
    path = workspace._run.path
    expected = dict(workspace.expected)
    site.close()
    with RunDirectory(Root.open(path, resolver=own), "r1") as run:
        assert kinds(tuple(differences(run, expected))) == {"a": "modified"}
    assert Path(path, "workspace", "a").read_text() == "other"


def test_a_lost_listing_is_told(workspace: Workspace) -> None:
    run = workspace._run
    run.root.remove(run.blobs.path_of(workspace.base.sha256))
    with pytest.raises(BlobDamaged):
        read_tree(run, workspace.base)


def test_the_tree_is_what_is_expected_now(workspace: Workspace) -> None:
    assert workspace.tree().sha256 == workspace.base.sha256
    (top(workspace) / "new").write_text("new")
    workspace.accept(workspace.capture())
    tree = workspace.tree()
    assert tree.entries == workspace.base.entries + 1
    assert read_tree(workspace._run, tree) == workspace.expected


@pytest.mark.req("G-01")
def test_what_is_thrown_away_leaves_nothing(workspace: Workspace) -> None:
    (top(workspace) / "new").mkdir()
    workspace.throw_away(None)
    assert workspace.capture() == ()
    layers = workspace.begin_stage("n/1.1")
    Path(layers.upper, "new").mkdir(mode=0)
    workspace.throw_away(layers)
    assert not (top(workspace).parent / "layers").exists()
    assert workspace.capture() == ()


@pytest.mark.parametrize("folder", [True, False])
def test_what_cannot_be_read_may_be_left_out(public: Path, folder: bool) -> None:
    def work() -> None:
        closed = public / "source" / "closed"
        closed.parent.mkdir()
        if folder:
            closed.mkdir()
        else:
            closed.touch()
        closed.chmod(0)
        with RunDirectory.create(str(public / "runs"), "r1") as run:
            with pytest.raises(PathRefused, match="permission to read is missing") as caught:
                Workspace.create(run, str(public / "source"))
            assert "`exclude` in custody.toml" in caught.value.hint
            Workspace.create(run, str(public / "source"), exclude=("closed",))
        closed.chmod(0o755)

    as_nobody(work)
