"""What was changed is compared with what a patch says."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given

from custody.checks.guards.patch_effect import judge_effect
from custody.model.change import Change, Entry, WorkspaceDiff
from custody.patch import EXECUTABLE, REGULAR, File
from custody.patch.read import read_patch
from support.patches import Tree, change_of, changed_trees, written

pytestmark = pytest.mark.req("C-19")
BEFORE: Tree = {b"a": File(REGULAR, b"one\n"), b"b": File(REGULAR, b"two\n")}
AFTER: Tree = {b"a": File(REGULAR, b"one\nmore\n"), b"c/d": File(REGULAR, b"new\n")}
FOLDER = Change(path="c", change="added", after=Entry(path="c", kind="dir", mode=0o755))


def effects(patch: bytes, before: Tree, after: Tree, *more: Change) -> list[str]:
    changes = [
        change_of(path, before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]
    files = (*before.values(), *after.values())
    held = {hashlib.sha256(file.content).hexdigest(): file.content for file in files}
    diff = WorkspaceDiff(changes=(*changes, *more))
    return list(judge_effect(read_patch(patch), diff, held.__getitem__))


@given(trees=changed_trees())
def test_what_a_patch_does_is_what_it_says(trees: tuple[Tree, Tree]) -> None:
    if patch := written(*trees):
        assert effects(patch, *trees) == []


def test_a_folder_on_the_way_is_no_change_of_its_own() -> None:
    assert effects(written(BEFORE, AFTER), BEFORE, AFTER, FOLDER) == []


@pytest.mark.parametrize(
    ("done", "told"),
    [
        ({**AFTER, b"x": File(REGULAR, b"")}, "x was changed, which the patch does not say"),
        ({**AFTER, b"a": File(REGULAR, b"other\n")}, "a is not what the patch makes of it"),
        ({**AFTER, b"c/d": File(EXECUTABLE, b"new\n")}, "c/d is not what the patch makes of it"),
        ({b"a": AFTER[b"a"]}, "c/d is not what the patch makes of it"),
        ({**AFTER, b"a": BEFORE[b"a"]}, "the patch does not fit what was there: a is not there"),
        ({**AFTER, b"b": BEFORE[b"b"]}, "the patch does not fit what was there: b is not there"),
    ],
)
def test_what_differs_is_told(done: Tree, told: str) -> None:
    assert effects(written(BEFORE, AFTER), BEFORE, done) == [told]


def test_of_a_copy_the_place_is_judged() -> None:
    patch = b"diff --git a/a b/z\nsimilarity index 100%\ncopy from a\ncopy to z\n"
    assert effects(patch, BEFORE, {**BEFORE, b"z": BEFORE[b"a"]}) == []
    assert effects(patch, BEFORE, BEFORE) == ["z was not copied"]
    assert effects(patch, BEFORE, {**BEFORE, b"z": BEFORE[b"a"], b"y": BEFORE[b"a"]}) == [
        "y was changed, which the patch does not say"
    ]
