"""Looks through the workspace for behaviors, and for what results name as their evidence."""

from __future__ import annotations

from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.record import encode_pretty
from custody.model.request import Ack
from custody.pipeline.contracts.expected_results import read_expected_results
from custody.workspace.behaviors import survey

EXPECTED = "expected_results"
"""What the step calls the document that names evidence."""


def carry_out(step: StepWork) -> Ack:
    """Write the survey; evidence is looked for where there are expected results."""
    data = step.read(EXPECTED)
    results = read_expected_results(data).draft.results if data is not None else ()
    evidence = [path for result in results for path in result.evidence]
    found = survey(step.stage.workspace.root, evidence)
    step.write(layout.SURVEY, encode_pretty(found))
    return step.done(f"{len(found.entries)} behaviors, {found.files} files")
