"""What every surface calls about skills: a job is a run of the packaged pipeline ``skill_job``.

The runs of jobs lie in ``.skillpilot/runs`` of the folder that the job works in, and every function
of `custody.api` works on them as on any run.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from custody.errors import Interrupted, UsageError
from custody.model import layout
from custody.store.places import is_folder

if TYPE_CHECKING:
    from custody.engine.recording import Listener
    from custody.engine.result import RunResult
    from custody.model.skill.documents import JobManifest
    from custody.model.skill.job import Located

DEFAULT_RUNSDIR = os.path.join(".skillpilot", "runs")
MANIFEST_LIMIT = 16 << 20
_LONGEST = 30 * 86_400.0


class WantedJob(NamedTuple):
    """What the user says about a job."""

    skill: str
    """A name, or a folder by a path."""
    design: str
    """A name, or a path."""
    adapter: str = ""
    """The launcher; empty for what the user's own configuration says."""
    select: int = 0
    """Which of several designs of that name, from 1 on; 0 for no choice."""
    timeout: float | None = None
    """Seconds that each script may take whose contract does not say it."""


class JobResult(NamedTuple):
    """A job that has ended."""

    run: RunResult
    interrupted: str = ""
    """What ended it, where somebody did; or empty."""


def run(
    wanted: WantedJob,
    *,
    cwd: str = os.curdir,
    runsdir: str = "",
    run_id: str = "",
    confinement: str = "",
    listeners: tuple[Listener, ...] = (),
) -> JobResult:
    """Run a skill in a folder, to PASS or FAIL.

    Told to stop, the job ends its tool, fails and says so: what is left is as complete as after any
    other failure. Raises `UsageError` for a skill that there is not, or what cannot be meant.
    """
    from custody import api
    from custody.model.skill import PIPELINE
    from custody.skills.find import find_skill
    from custody.store.index import new_run_id

    folder = os.path.abspath(cwd)
    _refuse_no_folder(folder)
    variables = _variables(wanted, folder, find_skill(wanted.skill, folder).path)
    place = runsdir or os.path.join(folder, DEFAULT_RUNSDIR)
    run_id = run_id or new_run_id()
    try:
        return JobResult(
            api.run(
                PIPELINE,
                runsdir=place,
                run_id=run_id,
                variables=variables,
                confinement=confinement,
                listeners=listeners,
            )
        )
    except Interrupted as interrupted:
        path = os.path.join(place, run_id)
        if not is_folder(path):
            raise
        return JobResult(stop(path, interrupted.what, listeners=listeners), interrupted.what)


def locate(design: str, cwd: str = os.curdir) -> Located:
    """Return what looking for a design finds, as the job itself would."""
    from custody.skills import locator

    return locator.locate(design, os.path.abspath(cwd))


def stop(path: str, why: str, *, listeners: tuple[Listener, ...] = ()) -> RunResult:
    """End a job that no process holds any more: it fails, with all that a failure leaves."""
    from custody import api
    from custody.store.root import Root

    with Root.open(path) as root:
        root.make_dirs(layout.SESSIONS)
        root.write(layout.SESSION_STOP, f"{why}\n".encode())
    return api.resume(path, listeners=listeners)


def rerun(
    bundle: str,
    *,
    cwd: str = "",
    runsdir: str = "",
    adapter: str = "",
    timeout: float | None = None,
    confinement: str = "",
    listeners: tuple[Listener, ...] = (),
) -> JobResult:
    """Run the job of a bundle, or of a run directory, again: the same skill on the same design.

    A script may take as long as it could, unless ``timeout`` says otherwise.

    Raises `UsageError` where the design, or the skill, is not at hand.
    """
    manifest = manifest_of(bundle)
    timeout = _timeout_of(bundle, manifest) if timeout is None else timeout
    design = manifest.design.enc_path or manifest.design.locator.query
    folder = cwd or manifest.runtime.cwd
    if not is_folder(folder):
        raise UsageError(
            f"the folder of the job is not here: {folder}", hint="name another by --cwd"
        )
    wanted = WantedJob(
        skill=_skill_at_hand(manifest),
        design=design,
        adapter=adapter or manifest.runtime.adapter,
        timeout=timeout,
    )
    return run(wanted, cwd=folder, runsdir=runsdir, confinement=confinement, listeners=listeners)


def manifest_of(folder: str) -> JobManifest:
    """Return the manifest of a bundle or of a run directory; raises `UsageError` for neither."""
    from custody.errors import MalformedDocument, StorageFailed
    from custody.model.record import decode
    from custody.model.skill.documents import JobManifest
    from custody.store.root import read_file

    path = os.path.join(folder, layout.JOB_MANIFEST)
    try:
        return decode(read_file(path, limit=MANIFEST_LIMIT), JobManifest, where=path)
    except (StorageFailed, MalformedDocument) as error:
        hint = f"a {layout.DEBUG_BUNDLE}/ of a job, or its run directory"
        raise UsageError(f"{folder!r} holds no job: {error.what}", hint=hint) from error


def _refuse_no_folder(path: str) -> None:
    """Raise `UsageError` for a folder in which no job can work: it would be made."""
    if not is_folder(path):
        raise UsageError(f"{path!r} is no folder", hint="a job works where its design is")
    try:
        path.encode()
    except UnicodeEncodeError:
        what = f"{path!r} is not UTF-8, and the scripts of a job are"
        raise UsageError(what, hint="give the folder another name") from None


def _timeout_of(folder: str, manifest: JobManifest) -> float | None:
    """Return how long a script could take in a job, which its first request says; None without."""
    from custody.model.record import decode
    from custody.model.skill import paths
    from custody.model.skill.exchange import SourceRequest
    from custody.store.root import Root

    path = paths.source_request(manifest.artifacts.restore_request or "")
    with Root.open(folder) as root:
        if not root.exists(path):
            return None
        return decode(root.read(path), SourceRequest, where=path).timeout_s or None


def _skill_at_hand(manifest: JobManifest) -> str:
    """Return how the skill of a job is named here: by its folder where there is one."""
    path = manifest.skill.subskill_path
    return path if os.path.isabs(path) and is_folder(path) else manifest.skill.name


def _variables(wanted: WantedJob, folder: str, skill: str) -> dict[str, str]:
    from custody.skills.launchers import choose
    from custody.store.own_settings import own_settings

    if not wanted.design:
        raise UsageError("no design is named", hint="--design NAME, or a path to NAME.enc")
    if wanted.select < 0:
        raise UsageError("--select counts from 1")
    if wanted.timeout is not None and not 0 < wanted.timeout <= _LONGEST:
        raise UsageError(f"--timeout is over 0 and at most {_LONGEST:.0f} seconds")
    own = own_settings(os.environ).skills
    return {
        "skill": os.path.basename(skill),
        "skill_path": skill,
        "design": wanted.design,
        "select": str(wanted.select or ""),
        "cwd": folder,
        "adapter": choose(wanted.adapter, own, os.environ).name,
        "timeout": "" if wanted.timeout is None else f"{wanted.timeout:g}",
    }
