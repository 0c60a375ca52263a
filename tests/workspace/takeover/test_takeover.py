"""Changes are taken over all at once or not at all, and nothing of anybody else's is lost."""

from __future__ import annotations

import errno
import os
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from msgspec.structs import replace

from custody.errors import Refused, RunError
from custody.model import layout
from custody.model.change import Change
from custody.model.record import encode_pretty
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, File
from custody.workspace.contents import IN_MEMORY
from custody.workspace.rights import ACCESS_LIST
from custody.workspace.takeover import TakeoverPlan, TakeoverStep
from custody.workspace.takeover.step import Stepper, new_name
from custody.workspace.takeover.takeover import finish, open_target, plan_of
from support.access_lists import access_list
from support.patches import Git, Tree, get_tree
from support.sweep import examples
from support.taking import Taking, changes_of_all_kinds, spoiled

BEFORE: Tree = {
    b"text": File(REGULAR, b"one\n"),
    b"gone": File(REGULAR, b"bye\n"),
    b"link": File(SYMLINK, b"text"),
    b"script": File(REGULAR, b"#!/bin/sh\n"),
    b"folder/a": File(REGULAR, b"a\n"),
    b"folder/deep/b": File(REGULAR, b"b\n"),
    b"file": File(REGULAR, b"f\n"),
    b"kept": File(REGULAR, b"kept\n"),
}
AFTER: Tree = {
    b"text": File(REGULAR, b"two\n\0"),
    b"link": File(SYMLINK, b"kept"),
    b"script": File(EXECUTABLE, b"#!/bin/sh\n"),
    b"folder": File(REGULAR, b"no folder any more\n"),
    b"file/below": File(REGULAR, b"below\n"),
    b"kept": File(REGULAR, b"kept\n"),
    b"new/empty": File(REGULAR, b""),
}
MANY = settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@contextmanager
def taking(home: Path, before: Tree = BEFORE, after: Tree = AFTER) -> Iterator[Taking]:
    shutil.rmtree(home, ignore_errors=True)
    made = Taking(home, before, after)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Taking]:
    with taking(tmp_path / "here") as found:
        yield found


@pytest.mark.req("U-07")
@MANY
@given(changes_of_all_kinds)
def test_the_folder_is_what_git_makes_of_it(tmp_path: Path, trees: tuple[Tree, Tree]) -> None:
    before, after = trees
    (tmp_path / "git").mkdir(exist_ok=True)
    shutil.rmtree(tmp_path / "git" / "repository", ignore_errors=True)
    git = Git(tmp_path / "git")
    with taking(tmp_path / "here", before, after) as made:
        found = made.take()
        assert found.conflicts == []
        assert get_tree(made.source) == after
        patch = git.diff(before, after)
        expected = git.apply(before, patch) if patch else before
        # Of an empty file `b /a` git cannot read the patch that it writes itself.
        if not (isinstance(expected, str) and "lacks filename information" in expected):
            assert expected == after
        assert not (made.source / layout.TAKEOVER).exists()
        again = made.take()
        assert (again.due, again.conflicts) == ([], [])


@pytest.mark.req("U-07")
@MANY
@given(changes_of_all_kinds, spoiled)
def test_a_folder_that_changed_meanwhile_is_never_overwritten(
    tmp_path: Path, trees: tuple[Tree, Tree], seed: int
) -> None:
    with taking(tmp_path / "here", *trees) as made:
        touched = [change for change in made.changes if change.before or change.after]
        assume(touched)
        spoil(made.source, random.Random(seed).choice(touched).path)
        now = get_tree(made.source)
        found = made.take()
        if found.conflicts:
            assert get_tree(made.source) == now
        else:  # what was there already, or a folder that was gone anyway
            assert mine(get_tree(made.source)) == mine(now)
        assert not (made.source / layout.TAKEOVER).exists()


def spoil(source: Path, path: str) -> None:
    place = source / path
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.is_dir():
        (place / "mine").write_text("mine\n")
        return
    if place.parent.is_dir():
        place.write_text("mine\n")


def mine(tree: Tree) -> Tree:
    """Return what of a tree is nobody's but the user's."""
    return {path: file for path, file in tree.items() if file.content == b"mine\n"}


@pytest.mark.req("U-07")
def test_every_conflict_is_told_at_once(made: Taking) -> None:
    (made.source / "text").write_text("mine\n")
    (made.source / "gone").chmod(0o600)
    (made.source / "folder" / "mine").write_text("mine\n")
    (made.source / "new").symlink_to("/")
    before = get_tree(made.source)
    found = {one.path: one.what for one in made.take().conflicts}
    assert found == {
        "text": "its content is not what the run found",
        "gone": "its mode is 0600, and the run found 0644",
        "folder/mine": "it stands where the run has made a file of the folder",
        "new": "the run made it anew, and something else is there by now",
        "new/empty": "a symlink stands in the way",
    }
    assert get_tree(made.source) == before


def test_what_is_there_already_is_left_alone(made: Taking) -> None:
    (made.source / "text").write_bytes(b"two\n\0")
    (made.source / "gone").unlink()
    inode = (made.source / "text").stat().st_ino
    assert "text" in made.take().unchanged
    assert (made.source / "text").stat().st_ino == inode
    assert get_tree(made.source) == AFTER


def test_a_removed_folder_stays_where_it_holds_more(tmp_path: Path) -> None:
    with taking(tmp_path / "here", {b"d/a": File(REGULAR, b"a")}, {}) as made:
        (made.source / "d" / "mine").write_text("mine\n")
        assert made.take().conflicts == []
        assert get_tree(made.source) == {b"d/mine": File(REGULAR, b"mine\n")}


@pytest.mark.req("U-14")
def test_what_is_excluded_is_neither_removed_nor_in_the_way(made: Taking) -> None:
    (made.source / "new").mkdir()
    (made.source / "new" / "empty").write_text("mine\n")
    found = made.take(lambda change: change.path.startswith("new"))
    assert (found.left_out, found.conflicts) == (["new", "new/empty"], [])
    assert get_tree(made.source) == {**AFTER, b"new/empty": File(REGULAR, b"mine\n")}


def test_a_file_with_a_second_name_is_replaced_and_the_other_stays(made: Taking) -> None:
    os.link(made.source / "text", made.source / "twin")
    assert made.take().conflicts == []
    assert (made.source / "twin").read_text() == "one\n"
    assert (made.source / "text").read_bytes() == b"two\n\0"


def test_rights_that_nobody_gets_are_dropped(made: Taking) -> None:
    (made.source / "script").chmod(0o4644)
    assert made.take().conflicts == []
    assert (made.source / "script").stat().st_mode & 0o7777 == 0o755


def broken_off(made: Taking, steps: int) -> None:
    """Leave the folder as a process does that is killed after so many steps."""
    with open_target(str(made.source)) as root:
        planned = made.takeover(root).compare().steps()
        root.make_dir(layout.TAKEOVER, 0o700)
        with root.sub(layout.TAKEOVER) as beside:
            staged = made.takeover(root)._stage(planned, beside)
            state = os.fstat(beside.fd)
            plan = TakeoverPlan(run_id="r1", device=state.st_dev, inode=state.st_ino, steps=staged)
            beside.write(layout.TAKEOVER_PLAN, encode_pretty(plan))
            stepper = Stepper(root, beside)
            for number, step in [*enumerate(plan.steps)][:steps]:
                stepper.do(number, step)


@pytest.mark.req("U-07")
@pytest.mark.parametrize("steps", range(14))
def test_what_was_broken_off_is_finished(steps: int, made: Taking) -> None:
    broken_off(made, steps)
    with open_target(str(made.source)) as root:
        assert finish(root) == ("r1", None)
        assert plan_of(root) is None
    assert get_tree(made.source) == AFTER
    assert not (made.source / layout.TAKEOVER).exists()


@pytest.mark.req("U-07")
@pytest.mark.parametrize("steps", range(11))
def test_what_cannot_be_finished_is_undone(steps: int, made: Taking) -> None:
    broken_off(made, steps)
    (made.source / "text").unlink()
    (made.source / "text").write_text("mine\n")
    with open_target(str(made.source)) as root:
        run_id, conflict = finish(root)
    assert run_id == "r1"
    assert conflict is not None
    assert conflict.path == "text"
    assert get_tree(made.source) == {**BEFORE, b"text": File(REGULAR, b"mine\n")}
    assert not (made.source / layout.TAKEOVER).exists()


def test_what_can_neither_be_finished_nor_undone_is_told(made: Taking) -> None:
    broken_off(made, 9)
    for name in ("file/below", "link", "text", "script", "new/empty"):
        place = made.source / name
        place.unlink(missing_ok=True)
        place.parent.mkdir(exist_ok=True)
        place.write_text("mine\n")
    with (
        open_target(str(made.source)) as root,
        pytest.raises(Refused, match="cannot be undone") as told,
    ):
        finish(root)
    assert layout.TAKEOVER in told.value.hint
    assert (made.source / "link").read_text() == "mine\n"


def test_a_plan_that_came_with_a_repository_is_refused(made: Taking) -> None:
    broken_off(made, 0)
    moved = made.source / layout.TAKEOVER
    shutil.copytree(moved, made.source / "copy", symlinks=True)
    shutil.rmtree(moved)
    (made.source / "copy").rename(moved)
    before = get_tree(made.source)
    with open_target(str(made.source)) as root, pytest.raises(Refused, match="came with a copy"):
        finish(root)
    assert get_tree(made.source) == before


def test_a_plan_for_what_may_not_be_written_is_refused(made: Taking) -> None:
    """Wherever it was made: whoever can write here can make one that fits the folder."""
    broken_off(made, 0)
    beside = made.source / layout.TAKEOVER
    state = beside.stat()
    hook = TakeoverStep(kind="make_folder", path=".git/hooks", after=made.final["new"])
    plan = TakeoverPlan(run_id="r1", device=state.st_dev, inode=state.st_ino, steps=(hook,))
    (beside / layout.TAKEOVER_PLAN).write_bytes(encode_pretty(plan))
    with open_target(str(made.source)) as root, pytest.raises(Refused, match="came with a copy"):
        finish(root)
    assert not (made.source / ".git").exists()


def test_a_damaged_content_changes_nothing(made: Taking) -> None:
    sha256 = next(entry.sha256 for path, entry in made.final.items() if path == "text")
    blob = made.source.parent / "runs" / "r1" / layout.blob(sha256)
    blob.chmod(0o600)
    blob.write_text("other")
    with pytest.raises(RunError):
        made.take()
    assert get_tree(made.source) == BEFORE
    assert not (made.source / layout.TAKEOVER).exists()


def test_a_large_content_that_is_damaged_changes_nothing(tmp_path: Path) -> None:
    """It is copied inside the kernel: looked at before, and when it is there."""
    large = File(REGULAR, b"x" * (IN_MEMORY + 1))
    with taking(tmp_path / "here", BEFORE, {**BEFORE, b"text": large}) as made:
        sha256 = made.final["text"].sha256
        blob = made.source.parent / "runs" / "r1" / layout.blob(sha256)
        blob.chmod(0o600)
        with blob.open("r+b") as stream:
            stream.write(b"y")
        with pytest.raises(RunError):
            made.take()
        assert get_tree(made.source) == BEFORE


def test_one_takeover_at_a_time(made: Taking) -> None:
    with open_target(str(made.source)), pytest.raises(Refused, match="another process"):
        made.take()


def test_names_beside_the_plan_are_numbers() -> None:
    assert new_name(3) == "new.3"


@pytest.mark.req("G-03")
def test_a_file_in_the_place_of_another_has_its_access_list(made: Taking) -> None:
    text = made.source / "text"
    access_list(text, owner=6, named=4, group=0, mask=4, others=4)
    before = os.getxattr(text, ACCESS_LIST)
    assert made.take().conflicts == []
    assert text.read_bytes() == b"two\n\0"
    assert os.getxattr(text, ACCESS_LIST) == before


if os.geteuid() == 0:

    @pytest.mark.req("G-03")
    def test_a_file_in_the_place_of_another_belongs_to_whom_that_did(made: Taking) -> None:
        os.chown(made.source / "text", 1234, 4321)
        assert made.take().conflicts == []
        now = (made.source / "text").stat()
        assert (now.st_uid, now.st_gid) == (1234, 4321)

    @pytest.mark.req("G-03")
    def test_nothing_is_taken_over_where_rights_would_be_another_groups(
        made: Taking, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The kernel lets nobody give a file to a group that he is not in."""
        os.chown(made.source / "text", 1234, 4321)
        (made.source / "text").chmod(0o660)
        made.changes = tuple(map(for_its_group, made.changes))
        now = get_tree(made.source)
        monkeypatch.setattr(os, "fchown", not_permitted)
        with pytest.raises(Refused, match="its group, 4321"):
            made.take()
        assert get_tree(made.source) == now
        assert not (made.source / layout.TAKEOVER).exists()


def for_its_group(change: Change) -> Change:
    if change.path != "text" or change.before is None or change.after is None:
        return change
    before, after = (replace(entry, mode=0o660) for entry in (change.before, change.after))
    return replace(change, before=before, after=after)


def not_permitted(*_arguments: object) -> None:
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
