"""A patch is refused by its text, by what git says, and by what was really changed."""

from __future__ import annotations

import hashlib

import pytest
from msgspec.structs import replace

from custody.checks.gates.patch_check import PatchCheck
from custody.model import layout
from custody.model.change import WorkspaceDiff
from custody.model.contracts.patch_result import PatchResult
from custody.model.record import encode
from custody.model.request import StepRequest
from support.cases import added, case
from support.contracts import PLAN
from support.patch_cases import adding

pytestmark = pytest.mark.req("C-19")
PATCH = adding("docs/new.txt", 1)
CONTENT = b"line 0\n"
RESULT = PatchResult(
    patch_sha256=hashlib.sha256(PATCH).hexdigest(), check_exit_code=0, apply_exit_code=0
)
DOCUMENTS: dict[str, str | bytes] = {layout.PLAN: PLAN, layout.PATCH: PATCH}
STEP = StepRequest(id="p/1.1", timeout=1.0, step="patch")


def judged(
    changed: dict[str, str | bytes | None] | None = None,
    result: PatchResult | bytes | None = None,
    diff: tuple[str, bytes] | None = None,
) -> list[tuple[str, str]]:
    held = {**DOCUMENTS, **(changed or {})}
    documents = {path: text for path, text in held.items() if text is not None}
    if result is not None:
        documents[layout.PATCH_RESULT] = result if isinstance(result, bytes) else encode(result)
    shown = () if diff is None else (added(*diff),)
    found = PatchCheck().judge(
        case(
            request=None if result is None else STEP,
            documents=documents,
            diff=WorkspaceDiff(changes=shown),
            blobs=() if diff is None else (diff[1],),
        )
    )
    return [(verdict.code, verdict.reason) for verdict in found]


def codes(*given: object, **more: object) -> list[str]:
    return [code for code, _ in judged(*given, **more)]  # type: ignore[arg-type]


def test_a_patch_by_its_text_alone() -> None:
    assert judged() == []
    assert codes({layout.PATCH: adding("other/x", 1)}) == ["scope"]
    assert codes({layout.PATCH: None}) == ["missing"]
    assert codes({layout.PATCH_POLICY: '{"max_added_lines": 0}'}) == ["max_added_lines"]


@pytest.mark.req("C-21")
@pytest.mark.parametrize(
    "plan", [None, "", "nothing", PLAN.replace("SIGNED", "DRAFT"), b"\xff\xfe", f"{PLAN}{PLAN}"]
)
def test_without_a_plan_nothing_passes(plan: str | bytes | None) -> None:
    found = judged({layout.PLAN: plan})
    assert {code for code, _ in found} == {"plan"}
    assert all(reason.startswith("PATCH_POLICY_INVALID: ") for _, reason in found)


@pytest.mark.parametrize("text", ["", "{", '{"max_files": 0}', '{"maxfiles": 9}'])
def test_without_a_policy_that_makes_sense_neither(text: str) -> None:
    ((code, reason),) = judged({layout.PATCH_POLICY: text})
    assert (code, reason.startswith("PATCH_POLICY_INVALID: ")) == ("policy", True)


def test_what_was_applied_as_it_says() -> None:
    assert judged(result=RESULT, diff=("docs/new.txt", CONTENT)) == []


@pytest.mark.parametrize(
    ("result", "code", "kind"),
    [
        (replace(RESULT, check_exit_code=1, message="error: x\ny"), "git_check", "GIT_CHECK_FAIL"),
        (replace(RESULT, apply_exit_code=128), "git_apply", "APPLY_FAIL"),
        (replace(RESULT, apply_exit_code=None), "git_apply", "APPLY_FAIL"),
        (replace(RESULT, check_exit_code=None, message="no git"), "env", "ENV_INVALID"),
        (replace(RESULT, patch_sha256="0"), "env", "ENV_INVALID"),
        (b"", "env", "ENV_INVALID"),
    ],
)
def test_what_git_says_counts(result: PatchResult | bytes, code: str, kind: str) -> None:
    ((found, reason),) = judged(result=result, diff=("docs/new.txt", CONTENT))
    assert (found, reason.startswith(f"PATCH_{kind}: ")) == (code, True)
    assert "\n" not in reason


@pytest.mark.parametrize("diff", [None, ("docs/new.txt", b"other\n"), ("docs/else", CONTENT)])
def test_what_was_really_changed_counts(diff: tuple[str, bytes] | None) -> None:
    found = judged(result=RESULT, diff=diff)
    assert {code for code, _ in found} == {"effect"}


def test_what_is_refused_by_its_text_is_told_alone() -> None:
    other = {layout.PATCH: adding("other/x", 1)}
    assert codes(other, replace(RESULT, check_exit_code=1)) == ["scope"]
