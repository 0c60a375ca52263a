"""Whether a script has done its work: by the tool's own ack, and by what it printed."""

from __future__ import annotations

from collections.abc import Iterator

from custody.checks.gates import Case, Gate
from custody.model import layout
from custody.model.record import decode
from custody.model.request import StepRequest
from custody.model.skill.error_type import told
from custody.model.skill.job import JobStart
from custody.model.verdict import Verdict
from custody.skills.claims import Patterns, judged
from custody.skills.tools import SESSION, TOOLS


class ScriptAckGate(Gate):
    """Judges the ack, and the log between the marks of its request."""

    name = "script_ack"
    doc = "The tool says that the script has passed, and nothing that it printed says otherwise."

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find an ack that is none, a script that has failed, or an error in the log."""
        request = case.request
        if not isinstance(request, StepRequest):
            yield self.wrong("request", told("INTERNAL_ERROR", "no script was asked for"))
            return
        job = decode(case.document(layout.JOB) or b"", JobStart, where=layout.JOB)
        ack = case.text(layout.session_ack(SESSION)).encode()
        log = [case.text(name).encode() for name in layout.streams(SESSION)]
        found = judged(
            request.settings["request_id"],
            ack,
            log,
            Patterns(job.error_patterns, job.ignore_patterns),
            restores=bool(request.settings["restores"]),
            marked=TOOLS[job.tool].marked,
        )
        if found.code:
            yield self.wrong(found.code, told(found.error_type, found.message))
