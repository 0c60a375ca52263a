"""Whether a patch may be applied, and whether applying it did what it says.

Judged are the text of the patch by the signed plan and the policy
(`custody.checks.guards.patch_policy`), and, where the patch was applied, what git said and what the
workspace shows afterwards. Besides the codes of the guard there are

    plan       PATCH_POLICY_INVALID: the plan is missing, unreadable or unsigned
    policy     PATCH_POLICY_INVALID: ``patch_policy.json`` cannot be read or makes no sense
    missing    PATCH_PARSE_INVALID: there is no patch
    git_check  PATCH_GIT_CHECK_FAIL: ``git apply --check`` refuses it
    git_apply  PATCH_APPLY_FAIL: ``git apply`` failed
    effect     PATCH_APPLY_FAIL: the workspace shows something else than the patch says
    env        PATCH_ENV_INVALID: git could not be asked, or was asked about another patch
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from custody.checks.gates import Case, Gate
from custody.errors import MalformedDocument
from custody.model import layout
from custody.model.record import decode
from custody.model.request import StepRequest
from custody.model.verdict import GateEffect, Verdict

if TYPE_CHECKING:
    from custody.model.contracts.patch_result import PatchResult

STEP = "patch"
"""The step that applies a patch."""
_CHECK, _APPLY, _ENV = "PATCH_GIT_CHECK_FAIL", "PATCH_APPLY_FAIL", "PATCH_ENV_INVALID"
_PARSE, _INVALID = "PATCH_PARSE_INVALID", "PATCH_POLICY_INVALID"
_TOLD = 20
"""How many differences are told."""


class PatchCheck(Gate):
    """Judges a patch; one that is refused counts for nothing, and what it changed is undone."""

    name = "patch_check"
    doc = "The patch stays inside the plan and the policy, and git does with it what it says."
    effect: ClassVar[GateEffect] = "refuse"

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find what is wrong: with the text first, then with what came of it."""
        data = case.document(layout.PATCH)
        if data is None:
            yield self.wrong("missing", f"{_PARSE}: {layout.PATCH} is missing", layout.PATCH)
            return
        found = [*self._by_text(data, case)]
        if not found and isinstance(case.request, StepRequest) and case.request.step == STEP:
            found = [*self._by_effect(data, case)]
        yield from found

    def _by_text(self, data: bytes, case: Case) -> Iterator[Verdict]:
        from custody.checks.contracts import read_contract
        from custody.checks.guards.patch_policy import judge_patch, read_policy
        from custody.pipeline.contracts.plan import read_plan

        plan, wrong = read_contract(self.name, layout.PLAN, case.document(layout.PLAN), read_plan)
        for verdict in wrong:
            yield self.wrong("plan", f"{_INVALID}: {verdict.reason}", layout.PLAN)
        try:
            policy = read_policy(case.document(layout.PATCH_POLICY), where=layout.PATCH_POLICY)
        except MalformedDocument as malformed:
            yield self.wrong("policy", f"{_INVALID}: {malformed}", layout.PATCH_POLICY)
            return
        if plan is not None and not wrong:
            yield from judge_patch(data, plan, policy)

    def _by_effect(self, data: bytes, case: Case) -> Iterator[Verdict]:
        result = self._result(data, case)
        if isinstance(result, Verdict):
            yield result
        elif result.check_exit_code != 0:
            what = "git apply --check refuses the patch"
            yield self.wrong("git_check", _said(_CHECK, what, result), layout.PATCH)
        elif result.apply_exit_code != 0:
            what = "git apply failed"
            yield self.wrong("git_apply", _said(_APPLY, what, result), layout.PATCH)
        else:
            from custody.checks.guards.patch_effect import judge_effect
            from custody.patch.read import read_patch

            differences = judge_effect(read_patch(data), case.diff, case.content)
            for what in islice(differences, _TOLD):
                yield self.wrong("effect", f"{_APPLY}: {what}", layout.PATCH)

    def _result(self, data: bytes, case: Case) -> PatchResult | Verdict:
        from custody.model.contracts.patch_result import PatchResult

        recorded = case.document(layout.PATCH_RESULT)
        try:
            result = decode(recorded or b"", PatchResult, where=layout.PATCH_RESULT)
        except MalformedDocument as malformed:
            return self.wrong("env", f"{_ENV}: {malformed}", layout.PATCH_RESULT)
        if result.patch_sha256 != hashlib.sha256(data).hexdigest():
            what = f"{_ENV}: git was asked about another patch"
            return self.wrong("env", what, layout.PATCH_RESULT)
        if result.check_exit_code is None:
            return self.wrong("env", _said(_ENV, "git was not asked", result), layout.PATCH)
        return result


def _said(kind: str, what: str, result: PatchResult) -> str:
    first = result.message.strip().partition("\n")[0]
    return f"{kind}: {what}: {first}" if first else f"{kind}: {what}"
