"""Looks at what a skill has left: its required outputs, everything else, and its metrics.

The tool is ended first: nothing that was judged can be changed any more.
"""

from __future__ import annotations

from msgspec.structs import replace

from custody.executors.jobs import SESSION, faultless
from custody.executors.jobs.reports import inventory, metrics, vouched_for
from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.record import encode_pretty
from custody.model.request import Ack
from custody.model.skill.job import Outputs
from custody.skills.contract import sound_contract
from custody.skills.outputs import find_outputs


@faultless
def carry_out(step: StepWork) -> Ack:
    """Write down what there is; whether it is enough, gates judge."""
    contract = sound_contract(step.read("contract") or b"", where=layout.JOB_CONTRACT)
    if (session := step.session_named(SESSION)) is not None:
        session.leave("scripts_ended", step.stage.tell)
    root = step.stage.run.root
    files, more = inventory(root)
    read = metrics(root)
    outputs = Outputs(
        required=find_outputs(root, contract.outputs.required),
        inventory=files,
        more=more,
        metrics=read.metrics,
        metrics_problem=read.problem,
    )
    step.write(layout.JOB_OUTPUTS, encode_pretty(outputs))
    step.write(layout.JOB_METRICS, encode_pretty(read.metrics))
    done = step.done(f"{len(files) + more} files, {len(read.metrics)} metrics")
    return replace(
        done,
        evidence=(*done.evidence, *vouched_for(files)),
        context_updates={"job.metrics": read.metrics},
    )
