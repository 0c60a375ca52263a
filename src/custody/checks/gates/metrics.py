"""Whether the metrics of a skill are there, and can be believed."""

from __future__ import annotations

from collections.abc import Iterator

from custody.checks.gates import Case, Gate
from custody.model import layout
from custody.model.record import decode
from custody.model.skill.error_type import told
from custody.model.skill.job import Outputs
from custody.model.skill.metric import disbelieved
from custody.model.verdict import Verdict
from custody.skills.contract import sound_contract


class MetricsGate(Gate):
    """Judges the metrics in ``docs/outputs.json`` by the rules of the contract."""

    name = "metrics"
    doc = "Every metric that the contract defines is there, and within its bounds."

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find metrics that cannot be read, are missing, or are out of bounds."""
        contract = case.document(layout.JOB_CONTRACT) or b""
        rules = sound_contract(contract, where=layout.JOB_CONTRACT).metrics
        data = case.document(layout.JOB_OUTPUTS) or b""
        found = decode(data, Outputs, where=layout.JOB_OUTPUTS)
        if found.metrics_problem:
            reason = told("CMD_FAIL", found.metrics_problem)
            yield self.wrong("unreadable", reason, layout.METRICS)
            return
        for name, rule in rules.items():
            value = found.metrics.get(name)
            if why := disbelieved(rule, value):
                error = told(
                    "OUTPUT_MISSING" if value is None else "CMD_FAIL", f"metric {name} {why}"
                )
                yield self.wrong(
                    "missing" if value is None else "out_of_bounds", error, layout.METRICS
                )
