"""The one module of patches and git mean the same by a patch, both ways."""

from __future__ import annotations

import shutil
from random import Random

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from custody.errors import MalformedDocument
from custody.patch import REGULAR, SYMLINK, File
from custody.patch.apply import apply_patch
from custody.patch.read import read_patch
from support.patches import (
    Git,
    Held,
    Tree,
    applied,
    changed_trees,
    mutated,
    odd_hunks,
    shaken,
    small_file,
    written,
)

pytestmark = [
    pytest.mark.req("G-04"),
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
]
fewer = settings(  # each example starts git a few times
    max_examples=settings().max_examples // 2,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    return Git(tmp_path_factory.mktemp("git"))


def after_patch(tree: Tree, patch: bytes) -> Tree:
    return applied(tree, apply_patch(read_patch(patch), Held(tree)))


@fewer
@given(trees=changed_trees())
def test_git_makes_of_it_what_was_changed(git: Git, trees: tuple[Tree, Tree]) -> None:
    before, after = trees
    if patch := written(before, after):
        assert git.apply(before, patch) == after
        assert git.apply(after, patch, "--reverse") == before
        assert after_patch(before, patch) == after


@fewer
@given(
    trees=changed_trees(),
    options=st.sampled_from(
        [
            ["--no-renames"],
            ["-M"],
            ["-M10%", "-C10%", "--find-copies-harder"],
            ["-M", "-B"],
            ["--full-index", "--inter-hunk-context=3", "-U1"],
            ["--patience"],
            ["--text"],
            ["--src-prefix=i/", "--dst-prefix=w/"],
        ]
    ),
)
@example(
    trees=({b"a": File(REGULAR, b""), b"b": File(SYMLINK, b"a")}, {b"b": File(REGULAR, b"")}),
    options=["-M", "-B"],
)
def test_what_git_tells_is_done(git: Git, trees: tuple[Tree, Tree], options: list[str]) -> None:
    before, after = trees
    if patch := git.diff(before, after, *options):
        try:
            assert after_patch(before, patch) == after
        except MalformedDocument as refused:  # with -B git tells what it refuses to do itself
            said = git.apply(before, patch)
            if "there already" not in refused.what or "already exists" not in str(said):
                raise


@fewer
@given(trees=changed_trees(), random=st.randoms(use_true_random=False))
def test_git_takes_whatever_is_taken_here(
    git: Git, trees: tuple[Tree, Tree], random: Random
) -> None:
    before, after = trees
    # Older releases of git cannot read what they write about a folder with a blank at its end.
    assume(not any(b" /" in path for path in before | after))
    whole = git.diff(before, after, "-M", "-C") if random.random() < 0.3 else written(before, after)
    for _ in range(10):
        patch, there = mutated(whole, random), shaken(before, random)
        try:
            ours = after_patch(there, patch)
        except MalformedDocument:
            continue
        assert git.apply(there, patch) == ours


@fewer
@given(random=st.randoms(use_true_random=False))
def test_git_finds_hunks_where_they_are_found_here(git: Git, random: Random) -> None:
    for _ in range(20):
        lines = small_file(random)
        tree = {b"f": File(REGULAR, b"".join(lines))}
        patch = b"diff --git a/f b/f\n--- a/f\n+++ b/f\n" + odd_hunks(lines, random)
        try:
            ours = after_patch(tree, patch)
        except MalformedDocument:
            continue
        assert git.apply(tree, patch) == ours
