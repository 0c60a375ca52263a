"""The tool of a job as a session: what is started, what it sees, how long it is waited for."""

from __future__ import annotations

import os
from collections.abc import Mapping

from custody.errors import MalformedDocument
from custody.executors.jobs import SESSION
from custody.model import layout
from custody.model.limits import StageLimits, parse_size, size_text
from custody.model.own_settings import OwnTool
from custody.model.session import SessionKind
from custody.model.skill.job import JobStart, SelectedDesign
from custody.skills.launchers import choose
from custody.skills.tools import TOOLS
from custody.store.own_settings import own_settings
from custody.store.places import leads_to
from custody.store.root import READ_LIMIT

_WHERE = "[skills.tools]"


def tool_kind(
    job: JobStart, design: SelectedDesign, run: str, environment: Mapping[str, str]
) -> SessionKind:
    """Return the session of a job whose run directory is ``run``.

    The tool reads its scripts and the folder of the design, and writes to ``reports/`` and its own
    box: nothing else of the run is within its reach. Raises `UsageError` for an adapter that there
    is not, and `MalformedDocument` when the user's own configuration is wrong.
    """
    own = own_settings(environment).skills
    tool, mine = TOOLS[job.tool], own.tools.get(job.tool, OwnTool())
    command = mine.command or tool.command
    kind = SessionKind(
        name=SESSION,
        argv=(*command, f"{run}/{layout.BOOTSTRAP}"),
        folder=layout.WORK,
        variables=_variables(job, design, run),
        passed=mine.passed,
        readable=(f"{run}/{layout.SCRIPTS}", *_places(design), *mine.readable),
        writable=(f"{run}/{layout.REPORTS}",),
        reach=mine.reach,
        sealed=True,
        limits=StageLimits(memory=_size(mine.memory, "memory")),
        output=_output(mine),
        start=mine.ready_s,
        hung=mine.hung_s,
        lost=mine.lost_s,
        pulse=mine.heartbeat_s,
    )
    return choose(job.runtime.adapter, own, environment).starts(kind)


def _output(mine: OwnTool) -> int:
    """Return how much is kept of what it prints: no more than can be looked through."""
    size = _size(mine.output, "output")
    if not 0 < size <= READ_LIMIT:
        what = f"output: {mine.output!r} is not over 0 and at most {size_text(READ_LIMIT)}"
        raise MalformedDocument("range", what, where=_WHERE)
    return size


def _size(text: str, name: str) -> int:
    try:
        return parse_size(text)
    except ValueError as error:
        raise MalformedDocument("type", f"{name}: {error}", where=_WHERE) from None


def _places(design: SelectedDesign) -> tuple[str, ...]:
    """Return where the design is: its folder, and where it leads to if it is a symlink."""
    folder = os.path.dirname(design.enc_path)
    real = {leads_to(path) for path in (design.enc_path, design.enc_dat_path)}
    return (folder, *sorted(path for path in real if os.path.dirname(path) != folder))


def _variables(job: JobStart, design: SelectedDesign, run: str) -> dict[str, str]:
    """Return what the executor and the scripts of a skill find in their environment."""
    return {
        "SP_RUN_DIR": run,
        "SP_SCRIPTS_DIR": f"{run}/{layout.SCRIPTS}",
        "SP_REPORTS_DIR": f"{run}/{layout.REPORTS}",
        "SP_JOB_ID": os.path.basename(job.runtime.run_dir),
        "SP_ENC_PATH": design.enc_path,
        "SP_ENC_DAT_PATH": design.enc_dat_path,
    }
