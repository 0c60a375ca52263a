"""``skill``: one state of a skill job. The job is the packaged pipeline ``skill_job``.

Each state is a step of custody's own, and gates judge what it has recorded. The states of a job
know of each other by the documents of the run: what was prepared, the design that was found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from custody.checks.gates import Case, Gate
from custody.checks.gates.located import LocatedGate
from custody.checks.gates.metrics import MetricsGate
from custody.checks.gates.outputs import OutputsGate
from custody.checks.gates.script_ack import ScriptAckGate
from custody.checks.gates.skill_contract import SkillContractGate
from custody.errors import Refused
from custody.handlers import Handler, Situation
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.outcome import Outcome
from custody.model.record import decode
from custody.model.request import StepRequest
from custody.model.skill import paths
from custody.model.skill.job import JobScript, JobStart

DEFAULT_TIMEOUT = 600.0
"""Seconds that a script may take where nobody says anything else."""
STATUS = "job.status"
MORE = "job.more"
"""In the context: how the job stands, and whether another script of the skill is to come."""
RESTORE = "restore"
_SESSION_STEPS = frozenset(
    {"start_session", "restore_db", "run_skill", "validate_outputs", "summarize"}
)
_GATES: Mapping[str, tuple[type[Gate], ...]] = {
    "prepare_rundir": (SkillContractGate,),
    "locate_db": (LocatedGate,),
    "start_session": (),
    "restore_db": (ScriptAckGate,),
    "run_skill": (ScriptAckGate,),
    "validate_outputs": (OutputsGate, MetricsGate),
    "summarize": (),
}


class SkillHandler(Handler):
    """Asks for the step of a state."""

    type = NodeType(
        name="skill",
        doc="One state of a skill job, which has a skill run inside a resident tool.",
        attributes=(
            AttributeRule(
                name="step",
                kind="string",
                required=True,
                doc="What is done in this state.",
                choices=tuple(_GATES),
            ),
        ),
    )

    def starts_programs(self, node: Node, agent: str) -> bool:  # noqa: ARG002
        """Say whether the tool is at work in this state."""
        return node.text("step") in _SESSION_STEPS

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Return what judges this state."""
        return tuple(kind.of(node) for kind in _GATES[node.text("step")])

    def request(self, node: Node, situation: Situation) -> StepRequest:
        """Ask for the step; raises `Refused` where what it needs is not there."""
        return _REQUESTS[node.text("step")](node, situation)

    def outcome(self, node: Node, case: Case) -> Outcome:
        """Say whether another script is to come, and in the end how the job stands."""
        outcome, step = super().outcome(node, case), node.text("step")
        request = case.request
        if not isinstance(request, StepRequest):
            return outcome
        told = {}
        if step == "run_skill":
            told = {MORE: "true" if request.settings["more"] else "false"}
        if step == "summarize":
            told = {STATUS: "FAIL" if request.settings["failed"] else "PASS"}
        return replace(outcome, context_updates={**outcome.context_updates, **told})


def _prepare(node: Node, situation: Situation) -> StepRequest:
    said = situation.values
    names = ("skill", "skill_path", "cwd", "adapter")
    writes = (layout.JOB, layout.JOB_CONTRACT, f"{layout.SCRIPTS}/")
    settings = {name: said.get(name, "") for name in names}
    return _asked(node, situation, settings=settings, writes=writes)


def _locate(node: Node, situation: Situation) -> StepRequest:
    settings = {name: situation.values.get(name, "") for name in ("design", "select", "cwd")}
    return _asked(
        node, situation, settings=settings, writes=(layout.JOB_DESIGN, layout.RESTORE_WRAPPER)
    )


def _start(node: Node, situation: Situation) -> StepRequest:
    inputs = {"job": _document(situation, layout.JOB)}
    inputs["design"] = _document(situation, layout.JOB_DESIGN)
    return _asked(node, situation, inputs=inputs)


def _restore(node: Node, situation: Situation) -> StepRequest:
    wrapper = _document(situation, layout.RESTORE_WRAPPER)
    script = JobScript(name=RESTORE, script=wrapper.path, sha256=wrapper.sha256)
    return _source(node, situation, script, 1, restores=True)


def _run(node: Node, situation: Situation) -> StepRequest:
    """Ask for the next script of the skill: one with each visit."""
    number = situation.state.visits.get(node.id, 0)
    scripts = _job(situation).scripts
    if number >= len(scripts):
        raise Refused("script", f"the skill has {len(scripts)} scripts, and all of them have run")
    more = number + 1 < len(scripts)
    return _source(node, situation, scripts[number], number + 2, more=more)


def _source(
    node: Node,
    situation: Situation,
    script: JobScript,
    number: int,
    *,
    restores: bool = False,
    more: bool = False,
) -> StepRequest:
    job_id = situation.values["run_id"]
    seconds = script.timeout_s or float(situation.values.get("timeout") or DEFAULT_TIMEOUT)
    request = paths.source_request_id(job_id, number, script.name)
    settings = {
        "request_id": request,
        "job_id": job_id,
        "script": script.script,
        "script_sha256": script.sha256,
        "tool": _job(situation).tool,
        "restores": "true" if restores else "",
        "more": "true" if more else "",
    }
    return replace(
        _asked(
            node,
            situation,
            inputs={"job": _document(situation, layout.JOB)},
            settings=settings,
            writes=(paths.source_request(request), paths.source_ack(request)),
        ),
        step="source_script",
        timeout=seconds,
    )


def _validate(node: Node, situation: Situation) -> StepRequest:
    inputs = {"contract": _document(situation, layout.JOB_CONTRACT)}
    return _asked(node, situation, inputs=inputs, writes=(layout.JOB_OUTPUTS, layout.JOB_METRICS))


def _summarize(node: Node, situation: Situation) -> StepRequest:
    failed = situation.scope.unhandled
    known = situation.state.documents.get(layout.JOB)
    tool = "" if known is None else _job(situation).tool
    validated = layout.JOB_OUTPUTS in situation.state.documents
    return _asked(
        node,
        situation,
        settings={
            "tool": tool,
            "failed": next(iter(failed.values()), ""),
            "validated": "true" if validated else "",
        },
        writes=(f"{layout.LOGS}/", layout.JOB_INVENTORY),
    )


def _asked(
    node: Node,
    situation: Situation,
    *,
    inputs: dict[str, Evidence] | None = None,
    settings: dict[str, str] | None = None,
    writes: tuple[str, ...] = (),
) -> StepRequest:
    return StepRequest(
        id=situation.request_id,
        timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
        step=node.text("step"),
        inputs=inputs or {},
        settings=settings or {},
        writes=writes,
    )


def _document(situation: Situation, path: str) -> Evidence:
    found = situation.state.documents.get(path)
    if found is None:
        raise Refused("missing", f"there is no {path}: a state before this one writes it")
    return found


def _job(situation: Situation) -> JobStart:
    data = situation.read(_document(situation, layout.JOB))
    return decode(data, JobStart, where=layout.JOB)


_REQUESTS: Mapping[str, Callable[[Node, Situation], StepRequest]] = {
    "prepare_rundir": _prepare,
    "locate_db": _locate,
    "start_session": _start,
    "restore_db": _restore,
    "run_skill": _run,
    "validate_outputs": _validate,
    "summarize": _summarize,
}
