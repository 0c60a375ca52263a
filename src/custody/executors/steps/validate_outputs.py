"""Looks at what a skill has left: its required outputs, everything else, and its metrics.

The tool is ended first: nothing that was judged can be changed any more. What a script has left to
be done after its ack may have printed an error meanwhile, which counts as one of a script does.
"""

from __future__ import annotations

from msgspec.structs import replace

from custody.executors.jobs import SESSION, faultless
from custody.executors.jobs.printed import printed_after
from custody.executors.jobs.reports import ReadMetrics, inventory, metrics, vouched_for
from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.record import encode_pretty
from custody.model.request import Ack
from custody.model.skill.contract import FIRST_VERSION, Contract
from custody.model.skill.error_type import told
from custody.model.skill.job import Outputs
from custody.skills.claims import Patterns, last_error
from custody.skills.contract import sound_contract
from custody.skills.outputs import find_outputs
from custody.skills.tools import TOOLS
from custody.store.mailbox import Box
from custody.store.root import Root


@faultless
def carry_out(step: StepWork) -> Ack:
    """Write down what there is; whether it is enough, gates judge."""
    contract = sound_contract(step.read("contract") or b"", where=layout.JOB_CONTRACT)
    late = _ended(step, contract)
    root = step.stage.run.root
    files, more = inventory(root)
    read, aside = _metrics(root, contract)
    outputs = Outputs(
        required=find_outputs(root, contract.outputs.required),
        inventory=files,
        more=more,
        metrics=read.metrics,
        metrics_problem=read.problem,
    )
    step.write(layout.JOB_OUTPUTS, encode_pretty(outputs))
    step.write(layout.JOB_METRICS, encode_pretty(read.metrics))
    done = step.done(f"{len(files) + more} files, {len(read.metrics)} metrics{aside}")
    done = replace(
        done,
        evidence=(*done.evidence, *vouched_for(files)),
        context_updates={"job.metrics": read.metrics},
    )
    if not late:
        return done
    why = told("CMD_FAIL", f"after the last script had ended the log says: {late}")
    return replace(done, status="failed", failure_reason=why)


def _metrics(root: Root, contract: Contract) -> tuple[ReadMetrics, str]:
    """Return the metrics, and what is told of a file that is left aside.

    Version 1.0 of contracts knows no metrics.json: what is called so is a report like any other.
    """
    read = metrics(root)
    if not read.problem or contract.schema_version != FIRST_VERSION:
        return read, ""
    return ReadMetrics({}), f"; left aside: {read.problem}"


def _ended(step: StepWork, contract: Contract) -> str:
    """End the tool; return an error that it has printed after the last script, or nothing.

    What it has to say to its end is not on file.
    """
    session = step.session_named(SESSION)
    if session is None:
        return ""
    session.leave("scripts_ended", step.stage.tell)
    tool, generation = TOOLS[contract.tool], session.generation
    streams = () if generation is None else generation.printed()
    asked = Box(step.stage.run.root, layout.QUEUE, ".json").keys()
    patterns = Patterns(tool.error_patterns + contract.error_patterns, contract.ignore_patterns)
    return last_error(printed_after(streams, max(asked, default="")), patterns)
