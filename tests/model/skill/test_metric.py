from __future__ import annotations

import pytest

from custody.model.skill.metric import MetricRule, MetricValue, disbelieved

BOTH = MetricRule(direction="higher", min=-1, max=2.5)


@pytest.mark.req("S-14")
@pytest.mark.parametrize(
    ("rule", "value", "why"),
    [
        (BOTH, 0, ""),
        (BOTH, -1, ""),
        (BOTH, 2.5, ""),
        (BOTH, -1.5, "is -1.5, under the least of -1"),
        (BOTH, 3, "is 3, over the most of 2.5"),
        (BOTH, float("nan"), "is nan, not a number"),
        (BOTH, float("-inf"), "is -inf, not a number"),
        (BOTH, 10**400, f"is 1{'0' * 39}, not a number"),
        (MetricRule(), -(10**400), f"is -1{'0' * 38}, not a number"),
        (BOTH, "NaN", "is 'NaN', not a number"),
        (BOTH, None, "is missing"),
        (MetricRule(), None, "is missing"),
        (MetricRule(), "top", ""),
        (MetricRule(), float("inf"), "is inf, not a number"),
        (MetricRule(direction="lower"), "12", "is '12', not a number"),
        (MetricRule(max=1), "x", "is 'x', not a number"),
    ],
)
def test_what_is_believed_of_a_metric(rule: MetricRule, value: MetricValue, why: str) -> None:
    assert disbelieved(rule, value) == why
