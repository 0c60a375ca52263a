"""Patches are judged by their text: by what git would write, and by nothing that it guesses."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from custody.checks.guards.patch_policy import SHOWN, TOLD, judge_patch, read_policy
from custody.errors import MalformedDocument
from custody.model.contracts.patch_policy import PatchPolicy
from custody.model.record import encode
from support.hostile import Case, cases
from support.patch_cases import PLAN, POLICY, adding, binary, patch_of

pytestmark = pytest.mark.req("C-19")
HUNK = "@@ -1 +1 @@\n-a\n+b\n"
PARSE = frozenset({"empty", "not_diff", "corrupt", "duplicate", "prefix"})
PATH = frozenset({
    "absolute", "backslash", "bidi", "case_collision", "control", "dotgit", "drive", "leading_dash",
    "noncanonical", "reserved", "scheme", "surrogate", "tilde", "too_deep", "too_long", "trailing",
    "traversal", "unicode",
})  # fmt: skip


def codes(patch: str | bytes, policy: PatchPolicy = POLICY) -> list[str]:
    data = patch if isinstance(patch, bytes) else patch.encode()
    return [verdict.code for verdict in judge_patch(data, PLAN, policy)]


def changing(path: str) -> str:
    return f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{HUNK}"


def new(path: str) -> str:
    return adding(path, 1).decode()


def renaming(old: str, new: str, kind: str = "rename") -> str:
    return (
        f"diff --git a/{old} b/{new}\nsimilarity index 100%\n{kind} from {old}\n{kind} to {new}\n"
    )


def classes(code: str) -> set[str]:
    """Return how a refusal may begin: git's own folder cannot be named, and is denied as well."""
    if code in PARSE:
        return {"PATCH_PARSE_INVALID"}
    if code in PATH:
        return {"PATCH_PATH_INVALID"}
    return {"PATCH_POLICY_DENY", *(["PATCH_PATH_INVALID"] if code == "denied" else [])}


@pytest.mark.parametrize(
    "case", [case for case in cases("patch") if case.kind != "recover"], ids=str
)
def test_hostile_patches(case: Case) -> None:
    verdicts = judge_patch(patch_of(case.input), PLAN, POLICY)
    if case.kind == "accept":
        assert verdicts == ()
        return
    first = verdicts[0]
    assert (first.check, first.allowed, first.code) == ("patch_check", False, case.code)
    assert first.reason.partition(": ")[0] in classes(case.code)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("docs/a.txt", ""),
        ("docs/deep/er/a.txt", ""),
        ("Docs/a.txt", "scope"),
        ("docs2/a.txt", "scope"),
        ("docs", "type_conflict"),
        ("docs/private/a", "scope"),
        ("docs/private", "scope"),
        ("docs/PRIVATE/a", "scope"),
        ("docs/private2", ""),
        ("a.txt", "scope"),
        ("docs/build/x", "denied"),
        ("docs/Build/x", "denied"),
        ("docs/builder/x", ""),
        ("docs/.env", "secret_file"),
        ("docs/.vscode/tasks.json", "denied"),
        ("Scripts/Scenarios/x.sh", "holdout"),
        ("docs/-x", "leading_dash"),
        ("docs/a ", "trailing"),
    ],
)
def test_where_a_patch_may_write(path: str, code: str) -> None:
    assert codes(changing(path)) == ([code] if code else [])


@pytest.mark.parametrize(
    ("old", "new", "kind", "expected"),
    [
        ("docs/a", "docs/b", "rename", []),
        ("src/a", "docs/b", "rename", ["scope"]),
        ("docs/a", "src/b", "rename", ["scope"]),
        ("docs/a", "docs/b", "copy", []),
        ("src/a", "docs/b", "copy", ["copy_source"]),
        ("docs/a", "src/b", "copy", ["scope"]),
        (".env", "docs/b", "copy", ["secret_file"]),
        ("holdout/a", "docs/b", "copy", ["holdout"]),
    ],
)
def test_both_names_of_a_rename(old: str, new: str, kind: str, expected: list[str]) -> None:
    assert codes(renaming(old, new, kind)) == expected


def test_an_entry_without_its_slash_is_a_file_or_a_folder() -> None:
    plan = replace(PLAN, scope_allow=("docs", "setup.py"))
    for path, wrong in (("docs", 0), ("docs/x", 0), ("setup.py", 0), ("setup.pyc", 1)):
        assert len(judge_patch(changing(path).encode(), plan, POLICY)) == wrong


def test_what_is_hidden_is_not_named_in_the_reason() -> None:
    (verdict,) = judge_patch(changing("holdout/t.sh").encode(), PLAN, POLICY)
    assert "holdout" not in verdict.reason
    assert verdict.subject == "holdout/t.sh"


MODE = "diff --git a/docs/x b/docs/x\nold mode {}\nnew mode {}\n"


@pytest.mark.parametrize(
    ("patch", "code", "allow"),
    [
        (MODE.format("100644", "100755"), "mode", {"allow_executable": True}),
        (MODE.format("100755", "100644"), "mode", {"allow_executable": True}),
        (
            adding("docs/x", 1).decode().replace("100644", "100755"),
            "mode",
            {"allow_executable": True},
        ),
        (
            "diff --git a/docs/x b/docs/x\ndeleted file mode 100644\n",
            "delete",
            {"allow_delete": False},
        ),
        (renaming("docs/a", "docs/b"), "rename", {"allow_rename": False}),
        (binary(b"\0").decode(), "binary", {"allow_binary": True}),
        (adding("docs/x", 3).decode(), "max_added_lines", {"max_added_lines": 2}),
        (adding("docs/x.lock", 1).decode(), "denied", {"deny_suffixes": (".LOCK",)}),
        (adding("docs/x", 1).decode(), "root", {"allow_roots": ("src", "docs/x/")}),
        (adding("docs/x/y", 1).decode(), "denied", {"deny_prefixes": ("docs/x",)}),
    ],
)
def test_what_a_policy_decides(patch: str, code: str, allow: dict[str, object]) -> None:
    other = [code] if codes(patch) == [] else []
    assert {*codes(patch), *other} == {code}
    assert codes(patch, replace(POLICY, **allow)) == other


def test_a_file_that_is_executable_may_be_changed() -> None:
    patch = changing("docs/x").replace("---", "index 1..2 100755\n---", 1)
    assert codes(patch) == []


def test_sizes_are_counted_over_all_files() -> None:
    assert codes(adding("docs/a", 200) + adding("docs/b", 200)) == []
    assert codes(adding("docs/a", 200) + adding("docs/b", 201)) == ["max_added_lines"]


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (new("docs/a") + new("docs/a/b"), ["type_conflict"]),
        (new("docs/a/b") + new("docs/a"), ["type_conflict"]),
        (new("docs/A.md") + new("docs/a.md"), ["case_collision"]),
        (new("docs/X/a") + new("docs/x/b"), ["case_collision"]),
        (renaming("docs/a", "docs/A"), []),
        (new("docs/A") + changing("docs/a"), ["case_collision"]),
        (changing("docs/A") + changing("docs/a"), []),
        (new("docs/a\u200b") + new("docs/b"), ["unicode"]),
    ],
)
def test_new_names_do_not_stand_in_each_others_way(patch: str, expected: list[str]) -> None:
    """Two files that a repository has already may be called as they are."""
    assert codes(patch) == expected


def test_not_more_is_told_than_anybody_reads() -> None:
    patch = b"".join(adding(f"src/{number}", 1) for number in range(2 * TOLD))
    assert codes(patch) == ["scope"] * TOLD


def test_long_names_are_cut() -> None:
    for patch in (changing("src/" + "x" * 5000), changing("a" * 5000 + "/../b")):
        for verdict in judge_patch(patch.encode(), PLAN, POLICY):
            assert len(verdict.reason) + len(verdict.subject) < 3 * SHOWN


def test_the_text_of_a_patch_that_is_patched_is_no_header() -> None:
    text = (
        "diff --git a/docs/p b/docs/p\n--- a/docs/p\n+++ b/docs/p\n@@ -1 +1 @@\n--- a/x\n+++ b/x\n"
    )
    assert codes(text) == []


def test_the_policy_is_read_strictly() -> None:
    assert read_policy(None) == PatchPolicy()
    assert read_policy(encode(POLICY)) == POLICY
    assert read_policy(b'{"max_files": 9}').max_files == 9


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"max_files": "5"}',
        '{"max_files": 0}',
        '{"max_added_lines": -1}',
        '{"max_file": 5}',
        '{"schema_version": "2"}',
        '{"allow_roots": ["."]}',
        '{"allow_roots": ["/"]}',
        '{"deny_prefixes": ["../x"]}',
        '{"deny_prefixes": ["a\\\\b"]}',
        '{"deny_suffixes": [""]}',
        '{"max_files": 5, "max_files": 50}',
    ],
)
def test_a_policy_that_makes_no_sense(text: str) -> None:
    with pytest.raises(MalformedDocument):
        read_policy(text.encode())
