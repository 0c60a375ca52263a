"""A workspace that is built where nothing is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.errors import BlobDamaged
from custody.store.workers import FEW
from custody.workspace.build import build_anew, under_another_name
from support.trees import picture
from support.workspaces import Site


def plant(source: Path) -> None:
    (source / "closed" / "inner").mkdir(parents=True)
    for number in range(FEW + 10):
        (source / "closed" / f"f{number}").write_text(f"{number}")
    (source / "closed" / "inner" / "run.sh").write_text("#!/bin/sh")
    (source / "closed" / "inner" / "run.sh").chmod(0o750)
    (source / "link").symlink_to("closed/f1")
    (source / "closed").chmod(0o555)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = Site(tmp_path)
    plant(site.source)
    return site


def test_it_is_what_is_expected(site: Site) -> None:
    before = picture(site.source)
    workspace = site.workspace()
    place = Path(workspace.path)
    place.rename(place.with_name("gone"))
    assert workspace.restore() == sorted(before)
    assert picture(place) == before
    assert workspace.capture() == ()
    site.close()


def test_a_workspace_that_holds_something_is_not_built_anew(site: Site) -> None:
    workspace = site.workspace()
    os.unlink(f"{workspace.path}/link")
    inode = Path(workspace.path, "closed", "f1").stat().st_ino
    assert workspace.restore() == ["link"]
    assert Path(workspace.path, "closed", "f1").stat().st_ino == inode
    site.close()


def test_a_lost_content_is_told_and_nothing_is_left(site: Site) -> None:
    workspace = site.workspace()
    run = site.runsdir / "r1"
    lost = workspace.expected["closed/f7"].sha256
    (run / "blobs" / lost[:2] / lost).unlink()
    place = Path(workspace.path)
    place.rename(place.with_name("gone"))
    with pytest.raises(BlobDamaged):
        workspace.restore()
    assert os.listdir(place) == []
    assert [name for name in os.listdir(run) if name.startswith(".tmp")] == []
    site.close()


def test_a_damaged_content_is_told_by_another_process(site: Site) -> None:
    workspace = site.workspace()
    damaged = workspace.expected["closed/f7"].sha256
    blob = site.runsdir / "r1" / "blobs" / damaged[:2] / damaged
    blob.chmod(0o644)
    blob.write_text("8")
    place = Path(workspace.path)
    place.rename(place.with_name("gone"))
    again = site.reopened(workspace)
    with pytest.raises(BlobDamaged) as caught:
        again.restore()
    assert caught.value.where == str(blob)
    site.close()


def test_the_scanner_learns_what_was_made(site: Site) -> None:
    workspace = site.workspace()
    place = Path(workspace.path)
    place.rename(place.with_name("gone"))
    build = build_anew(workspace._run, workspace.expected)
    assert build.entries() == workspace.expected
    site.close()


def test_a_folder_has_its_name_when_it_is_complete(site: Site) -> None:
    run = site.run()
    with under_another_name(run.root, "ws") as target:
        target.write("f", b"x")
        assert not run.root.exists("ws")
    assert run.root.read("ws/f") == b"x"
    site.close()


def test_a_folder_that_is_not_completed_is_removed(site: Site) -> None:
    run = site.run()

    def fail() -> None:
        with under_another_name(run.root, "ws") as target:
            target.write("f", b"x")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert run.root.names() == []
    site.close()
