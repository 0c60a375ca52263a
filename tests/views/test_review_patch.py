"""Why a patch was not taken."""

from __future__ import annotations

import pytest

from custody.model.verdict import Verdict
from custody.pipeline.contracts.review import read_review
from custody.views.review_patch import review_patch

SCOPE = Verdict(check="patch_check", allowed=False, code="scope", reason="PATCH_POLICY_DENY: a\nb")


@pytest.mark.req("C-20")
def test_it_is_a_review_that_blocks_with_every_reason() -> None:
    made = review_patch(2, [SCOPE], "")
    review = read_review((made.text or "").encode()).sound
    assert review is not None
    assert review.verdict == "BLOCK"
    assert review.blocking_reasons == ("scope: PATCH_POLICY_DENY: a b",)
    assert "patch only" in review.required[0]


def test_a_failure_without_a_verdict_has_its_reason() -> None:
    assert "git is gone" in (review_patch(1, [], "git is gone").text or "")
