"""Makes the folders of a job, and copies its contract and scripts to where its tool finds them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from custody.errors import CustodyError
from custody.executors.jobs import faultless
from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.record import encode_pretty
from custody.model.request import Ack
from custody.model.skill import paths
from custody.model.skill.contract import (
    CONTRACT_FILE,
    FIRST_TOOLS,
    FIRST_VERSION,
    NEWEST_VERSION,
    Contract,
)
from custody.model.skill.job import JobRuntime, JobScript, JobSkill, JobStart
from custody.skills.check import (
    ANY_NAMES,
    SCRIPT_LIMIT,
    TEMPLATES,
    file_findings,
    template_names,
)
from custody.skills.contract import read_contract
from custody.skills.launchers import DSUB_I
from custody.skills.tools import EXECUTOR, TOOLS
from custody.store.own_settings import own_settings
from custody.store.root import Root, read_file

FOLDERS = (layout.QUEUE, layout.ACK, layout.SCRIPTS, layout.REPORTS, layout.SESSIONS)
UNKNOWN = "unknown"
"""The version of a skill whose contract cannot be read."""


@faultless
def carry_out(step: StepWork) -> Ack:
    """Make the folder of the job ready; whether the contract is sound, a gate judges."""
    for folder in FOLDERS:
        step.stage.run.root.make_dirs(folder, sync=True)
    said = step.settings
    contract = _contract(step, said["skill_path"])
    scripts: tuple[JobScript, ...] = ()
    problems: tuple[str, ...] = ()
    if contract is not None:
        with Root.open(said["skill_path"]) as skill:
            problems = tuple(_problems(skill, said["skill"], contract))
            if not problems:
                step.write(layout.BOOTSTRAP, read_file(EXECUTOR))
                scripts = tuple(_scripts(step, skill, contract))
    job = _job(step, contract, scripts, problems)
    step.write(layout.JOB, encode_pretty(job))
    facts = {"job.skill": msgspec.to_builtins(job.skill)}
    facts["job.runtime"] = msgspec.to_builtins(job.runtime)
    facts["job.hints"] = [] if contract is None else [*contract.debug_hints]
    facts["job.schema"] = _schema(job)
    facts["job.versions"] = {"subskill": job.skill.version, "tool": job.tool}
    return msgspec.structs.replace(step.done(), context_updates=facts)


def _contract(step: StepWork, folder: str) -> Contract | None:
    """Keep the contract as it is; return what it says, if all of it can be meant."""
    try:
        with Root.open(folder) as skill:
            data = skill.read(CONTRACT_FILE, limit=SCRIPT_LIMIT, links=ANY_NAMES)
    except CustodyError:
        return None
    step.write(layout.JOB_CONTRACT, data)
    return read_contract(data).contract


def _problems(skill: Root, name: str, contract: Contract) -> Iterator[str]:
    """Yield why a skill cannot be run although its contract is sound, as its check finds it."""
    for found in file_findings(skill, name, contract):
        if found.severity == "error":
            yield f"{found.file}: {found.message}"


def _scripts(step: StepWork, skill: Root, contract: Contract) -> Iterator[JobScript]:
    """Copy the scripts that the contract names, and beside them whatever else they may source."""
    for name in template_names(skill):
        step.write(f"{layout.SCRIPTS}/{name}", _script(skill, f"{TEMPLATES}/{name}"))
    for script in contract.scripts:
        data = _script(skill, script.entry)
        written = step.write(paths.run_script(contract.name, script.name), data)
        yield JobScript(
            name=script.name,
            script=written.path,
            sha256=written.sha256,
            timeout_s=script.timeout_s,
        )


def _script(skill: Root, path: str) -> bytes:
    return skill.read(path, limit=SCRIPT_LIMIT, links=ANY_NAMES)


def _job(
    step: StepWork,
    contract: Contract | None,
    scripts: tuple[JobScript, ...],
    problems: tuple[str, ...],
) -> JobStart:
    said = step.settings
    tool = "" if contract is None else contract.tool
    known = TOOLS.get(tool)
    return JobStart(
        skill=JobSkill(
            name=said["skill"],
            version=UNKNOWN if contract is None else contract.version,
            subskill_path=said["skill_path"],
        ),
        runtime=JobRuntime(
            cwd=said["cwd"],
            run_dir=step.stage.run.path,
            adapter=said["adapter"],
            user=os.environ.get("USER", "").encode(errors="replace").decode(),
            host=os.uname().nodename,
            env_summary=_passed(tool),
        ),
        tool=tool,
        scripts=scripts,
        error_patterns=()
        if contract is None
        else ((known.error_patterns if known else ()) + contract.error_patterns),
        ignore_patterns=() if contract is None else contract.ignore_patterns,
        problems=problems,
    )


def _schema(job: JobStart) -> str:
    """Return the version of the manifest: 1.0 knows one launcher and one tool."""
    known = job.runtime.adapter == DSUB_I.name and job.tool in {"", *FIRST_TOOLS}
    return FIRST_VERSION if known else NEWEST_VERSION


def _passed(tool: str) -> dict[str, str]:
    """Return the variables that the user lets the tool see, without what they hold.

    A configuration that is wrong fails the start of the tool.
    """
    try:
        own = own_settings(os.environ).skills.tools.get(tool)
    except CustodyError:
        return {}
    return {} if own is None else {name: "(passed)" for name in own.passed if name in os.environ}
