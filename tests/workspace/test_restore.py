from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from custody.errors import BlobDamaged
from custody.workspace.contents import IN_MEMORY
from support.edits import EDITS, Edit, apply
from support.sweep import examples
from support.trees import differing, picture
from support.workspaces import Site, kinds


@pytest.mark.req("P-04", "P-06")
@settings(
    max_examples=examples(120),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(EDITS, max_size=15),
    st.lists(st.tuples(st.lists(EDITS, max_size=8), st.booleans()), max_size=4),
    st.booleans(),
)
def test_any_edits_are_found_and_undone(
    tmp_path_factory: pytest.TempPathFactory,
    initial: list[Edit],
    stages: list[tuple[list[Edit], bool]],
    resumed: bool,
) -> None:
    home = tmp_path_factory.mktemp("site")
    site = Site(home)
    for edit in initial:
        if edit[0] != "fifo":
            apply(site.source, edit)
    workspace = site.workspace()
    top = Path(workspace.path)
    expected = picture(top)
    assert expected == picture(site.source)
    accepted = []
    for some, keep in stages:
        for edit in some:
            apply(top, edit)
        changes = workspace.capture()
        assert list(kinds(changes)) == differing(expected, picture(top))
        if keep and not any(change.after and change.after.kind == "other" for change in changes):
            workspace.accept(changes)
            accepted.append(changes)
            expected = picture(top)
        else:
            touched = differing(expected, picture(top))
            assert workspace.restore() == touched
        assert picture(top) == expected
        assert workspace.capture() == ()
    if resumed:
        for edit in initial:
            apply(top, edit)
        workspace = site.reopened(workspace)
        for changes in accepted:
            workspace.accept(changes)
        workspace.restore()
        assert picture(top) == expected
    site.close()
    shutil.rmtree(home)


def test_large_files_come_back(site: Site) -> None:
    content = os.urandom(IN_MEMORY + 12345)
    (site.source / "large").write_bytes(content)
    (site.source / "large").chmod(0o751)
    workspace = site.workspace()
    top = Path(workspace.path)
    with (top / "large").open("r+b") as file:
        file.seek(IN_MEMORY)
        file.write(b"changed")
    assert kinds(workspace.capture()) == {"large": "modified"}
    assert workspace.restore() == ["large"]
    assert (top / "large").read_bytes() == content
    assert (top / "large").stat().st_mode & 0o777 == 0o751


def test_an_accepted_change_stays_and_a_later_one_goes(site: Site) -> None:
    (site.source / "a").write_text("1")
    workspace = site.workspace()
    top = Path(workspace.path)
    (top / "a").write_text("2")
    (top / "b").write_text("new")
    workspace.accept(workspace.capture())
    (top / "a").write_text("3")
    (top / "b").unlink()
    assert workspace.restore() == ["a", "b"]
    assert (top / "a").read_text() == "2"
    assert (top / "b").read_text() == "new"
    assert workspace.tree() != workspace.base


def test_restoring_writes_no_file_in_place(site: Site, tmp_path: Path) -> None:
    (site.source / "a").write_text("inside")
    workspace = site.workspace()
    top = Path(workspace.path)
    (tmp_path / "outside").write_text("outside")
    (top / "a").unlink()
    (top / "a").hardlink_to(tmp_path / "outside")
    workspace.restore()
    assert (top / "a").read_text() == "inside"
    assert (tmp_path / "outside").read_text() == "outside"


def test_a_resumed_workspace_is_looked_at_in_full(site: Site) -> None:
    (site.source / "a").write_text("1")
    (site.source / "b").write_text("1")
    workspace = site.workspace()
    top = Path(workspace.path)
    state = (top / "a").stat()
    (top / "a").write_text("2")
    os.utime(top / "a", ns=(state.st_atime_ns, state.st_mtime_ns))
    again = site.reopened(workspace)
    assert kinds(again.capture()) == {"a": "modified"}
    assert again.restore() == ["a"]
    assert again.tree().sha256 == again.base.sha256 == workspace.base.sha256


def test_a_resumed_workspace_need_not_be_there(site: Site) -> None:
    (site.source / "a").write_text("1")
    workspace = site.workspace()
    shutil.rmtree(workspace.path)
    again = site.reopened(workspace)
    assert again.restore() == ["a"]
    assert Path(workspace.path, "a").read_text() == "1"


def test_a_lost_content_is_told(site: Site) -> None:
    (site.source / "a").write_text("1")
    workspace = site.workspace()
    sha256 = workspace.expected["a"].sha256
    blob = site.runsdir / "r1" / "blobs" / sha256[:2] / sha256
    Path(workspace.path, "a").unlink()
    blob.chmod(0o644)
    blob.write_text("2")
    with pytest.raises(BlobDamaged):
        workspace.restore()
    blob.unlink()
    with pytest.raises(BlobDamaged):
        workspace.restore()
