"""Why a patch was not taken, for whoever makes the next one. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.verdict import Verdict

_ASKED = (
    "One unified diff that begins with `diff --git`, applies to the repository as it is, and stays "
    "inside the scope of the signed plan."
)


def review_patch(iteration: int, verdicts: Sequence[Verdict], reason: str) -> Evidence:
    """Return the review of a patch that was rejected."""
    told = [f"{verdict.code}: {verdict.reason}" for verdict in verdicts] or [reason]
    lines = [
        f"# The patch of round {iteration}",
        "",
        "Verdict: BLOCK",
        "",
        "Blocking Reasons:",
        "",
        *(f"- {' '.join(line.split())}" for line in told),
        "",
        "Required Fix/Artifacts:",
        "",
        f"- {layout.PATCH}: patch only. {_ASKED}",
        "",
    ]
    return Evidence.of_text(layout.REVIEW_PATCH, "\n".join(lines))
