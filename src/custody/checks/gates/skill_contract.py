"""Whether the contract of a skill is sound, and the skill has what it names."""

from __future__ import annotations

from collections.abc import Iterator

from custody.checks.gates import Case, Gate
from custody.model import layout
from custody.model.record import decode
from custody.model.skill.contract import CONTRACT_FILE
from custody.model.skill.error_type import told
from custody.model.skill.job import JobStart
from custody.model.verdict import Verdict
from custody.skills.contract import read_contract


class SkillContractGate(Gate):
    """Judges ``docs/contract.yaml``, and what was copied for it."""

    name = "skill_contract"
    doc = "The skill has a contract that keeps every rule, and every script that it names."

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find whatever is wrong with the contract, or missing beside it."""
        data = case.document(layout.JOB_CONTRACT)
        if data is None:
            yield self._invalid("missing", f"the skill has no {CONTRACT_FILE} that can be read")
            return
        for finding in read_contract(data).findings:
            where = f"{CONTRACT_FILE}:{finding.line}" if finding.line else CONTRACT_FILE
            yield self._invalid(finding.code, f"{where} {finding.code}: {finding.message}")
        job = decode(case.document(layout.JOB) or b"", JobStart, where=layout.JOB)
        for problem in job.problems:
            yield self._invalid("script", problem)

    def _invalid(self, code: str, what: str) -> Verdict:
        return self.wrong(code, told("CONTRACT_INVALID", what), layout.JOB_CONTRACT)
