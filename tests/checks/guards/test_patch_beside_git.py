"""Whatever passes the policy, git writes inside the scope alone, and just what the reader says."""

from __future__ import annotations

import shutil
from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from custody.checks.guards.patch_policy import judge_patch
from custody.errors import MalformedDocument
from custody.model.contracts.patch_policy import PatchPolicy
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, File
from custody.patch.apply import apply_patch
from custody.patch.read import read_patch
from custody.pipeline.contracts.plan import Plan
from support.patches import Git, Held, Tree, applied, mutated, shaken, written

pytestmark = [
    pytest.mark.req("C-19"),
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
]
fewer = settings(
    max_examples=settings().max_examples // 2,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
PLAN = Plan(status="SIGNED", scope_allow=("docs/", "src/a.py"), scope_deny=("docs/private/",))
POLICIES = (
    PatchPolicy(holdouts=("holdout/",)),
    PatchPolicy(holdouts=("holdout/",), allow_executable=True, allow_binary=True, max_files=50),
)
TREE: Tree = {
    b"docs/a": File(REGULAR, b"one\ntwo\nthree\n"),
    b"docs/b": File(REGULAR, b"one\n"),
    b"docs/deep/c": File(EXECUTABLE, b"run\n"),
    b"docs/private/p": File(REGULAR, b"one\n"),
    b"docs/link": File(SYMLINK, b"../secrets"),
    b"src/a.py": File(REGULAR, b"one\ntwo\n"),
    b"src/b.py": File(REGULAR, b"one\n"),
    b"secrets/s": File(REGULAR, b"one\n"),
    b"holdout/t": File(REGULAR, b"one\n"),
    b".env": File(REGULAR, b"one\n"),
}
INSIDE = (b"docs/a", b"docs/b", b"docs/new", b"docs/deep/c", b"src/a.py")
OUTSIDE = (
    b"secrets/s", b"holdout/t", b"docs/private/p", b"src/b.py", b".env", b"new", b"docs",
    b"docs/link/s", b"docs/../secrets/s", b"docs/./a", b"/docs/a", b"docs//a", b".git/config",
    b"docs/.gitattributes", b"docs/a b", b"src/a.py/x", b"DOCS/a", b"docs/\xff", b"docs/CON",
)  # fmt: skip
SPELLINGS = (
    lambda path: path,
    lambda path: path,
    lambda path: b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"',
    lambda path: path + b"\t",
    lambda path: path + b"\t2026-01-01",
    lambda path: path + b" ",
    lambda path: path + b"\r",
)
LINK = (
    b"diff --git a/docs/n b/docs/n\nnew file mode 120000\n--- /dev/null\n+++ b/docs/n\n"
    b"@@ -0,0 +1 @@\n+..\n\\ No newline at end of file\n"
)
SLIPPED = (
    b"-- \n2.39.5\n", b"From x\nSubject: y\n\n", b"\n\n", b"index 1..2 120000\n",
    b"--- a/secrets/s\n+++ b/secrets/s\n@@ -1 +1 @@\n-one\n+two\n",
    b"diff --git a/secrets/s b/docs/new\ncopy from secrets/s\ncopy to docs/new\n",
    b"diff --git a/docs/a b/secrets/n\nrename from docs/a\nrename to secrets/n\n",
    LINK,
)  # fmt: skip


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    return Git(tmp_path_factory.mktemp("git"))


def is_inside(path: bytes) -> bool:
    below = path.startswith(b"docs/") and not path.startswith(b"docs/private/")
    return below or path == b"src/a.py"


def changed(before: Tree, after: Tree) -> set[bytes]:
    return {path for path in before | after if before.get(path) != after.get(path)}


def honest(random: Random) -> tuple[bytes, Tree]:
    """Return a patch that changes some files, and what it makes of the tree."""
    after = dict(TREE)
    for path in random.sample(INSIDE, random.randint(1, 3)):
        there = after.get(path, File(REGULAR, b""))
        content = b"new\n" + there.content if random.random() < 0.7 else there.content + b"end\n"
        after[path] = File(there.mode, content)
    return written(TREE, after), after


def twisted(patch: bytes, random: Random) -> bytes:
    """Return a patch with other names here and there, or with something slipped in."""
    for _ in range(random.randint(0, 3)):
        old = random.choice(INSIDE)
        new = random.choice(SPELLINGS)(random.choice((*INSIDE, *OUTSIDE)))
        times = random.choice((-1, 1, 2, 3, 4))
        prefix = random.choice((b"a/", b"b/", b""))
        patch = patch.replace(prefix + old, prefix + new, times)
    if random.random() < 0.4:
        lines = patch.split(b"\n")
        at = random.randrange(len(lines))
        patch = b"\n".join([*lines[:at], random.choice(SLIPPED) + lines[at], *lines[at + 1 :]])
    return mutated(patch, random) if random.random() < 0.5 else patch


@fewer
@given(random=st.randoms(use_true_random=False))
def test_nothing_is_written_outside(git: Git, random: Random) -> None:
    for _ in range(12):
        whole, _ = honest(random)
        patch, tree = twisted(whole, random), shaken(TREE, random)
        if judge_patch(patch, PLAN, random.choice(POLICIES)):
            continue
        done = git.apply(tree, patch)
        try:
            ours = applied(tree, apply_patch(read_patch(patch), Held(tree)))
        except MalformedDocument:
            ours = None
        if isinstance(done, dict):
            assert all(map(is_inside, changed(tree, done))), patch
        assert ours is None or done == ours, patch


def test_honest_patches_pass_and_twisted_ones_seldom(git: Git) -> None:
    random = Random(11)
    seen: Counter[str] = Counter()
    for _ in range(40):
        whole, after = honest(random)
        assert judge_patch(whole, PLAN, POLICIES[0]) == ()
        assert git.apply(TREE, whole) == after
        verdicts = judge_patch(twisted(whole, random), PLAN, POLICIES[0])
        seen[verdicts[0].code if verdicts else "passed"] += 1
    assert seen["passed"] >= 5
    assert len(seen) >= 5, seen
