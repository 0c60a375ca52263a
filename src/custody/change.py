"""What every surface calls about a change of a repository, as `custody.api` is about runs."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, NamedTuple

from custody.errors import PackFailed, UsageError
from custody.model import layout

if TYPE_CHECKING:
    from custody.engine.apply import Applied
    from custody.engine.change_start import WantedChange
    from custody.engine.gate_trial import GateReport
    from custody.engine.recording import Listener
    from custody.engine.result import RunResult
    from custody.model.contracts.change_settings import ChangeSettings
    from custody.model.contracts.context_pack import ContextPack
    from custody.store.root import Root
    from custody.workspace.pack.librarian import Suggest

PERSON = "manual_outbox"
"""Who is asked where nobody else has a role."""
REQUEST_LIMIT = 64 << 20
"""Bytes of a request."""


class Packed(NamedTuple):
    """A context pack, and what it is as a file."""

    pack: ContextPack
    data: bytes
    sha256: str


def pack(request: str, *, repo: str = os.curdir, output: str = "", index: str = "") -> Packed:
    """Make the context pack that the request in a file asks for; with ``output`` it is written.

    With ``index``, the digest of the user's own index, what that finds fills the room that is left.

    Raises `PackFailed` when there can be none. What stands at ``output`` is left as it is then,
    and ``<output without .json>.failure.json`` says why; a pack that is made removes that file.
    """
    from custody.model.contracts.context_pack import PackFailure
    from custody.model.record import encode_pretty
    from custody.store.places import leads_to
    from custody.store.root import Root, read_file
    from custody.workspace.pack.librarian import make_pack

    asked = read_file(request, limit=REQUEST_LIMIT)
    with Root.open(repo) as root:
        called = os.path.basename(leads_to(os.path.abspath(repo)))
        suggest = _suggest(index) if index else None
        made = make_pack(root, asked, name=called, suggest=suggest)
    data = encode_pretty(made)
    folder, name = os.path.split(output)
    failure = f"{name.removesuffix('.json')}.failure.json"
    if name:
        with Root.open(folder or os.curdir) as target:
            if isinstance(made, PackFailure):
                target.write(failure, data)
            else:
                target.write(name, data)
                _remove(target, failure)
    if isinstance(made, PackFailure):
        about_request = made.code in {"request_invalid", "budget_too_small"}
        where = request if about_request else repo
        raise PackFailed(made.code, made.message, where=where, hint=made.hint)
    return Packed(made, data, hashlib.sha256(data).hexdigest())


def _suggest(index: str) -> Suggest:
    """Return the user's own index of a digest as who suggests lines for a pack."""
    from custody.seek.suggest import suggested
    from custody.workspace.pack.librarian import Suggest

    return Suggest(index, lambda text: suggested(text, index, os.environ))


def gate(
    name: str,
    *,
    repo: str = os.curdir,
    folder: str = os.curdir,
    check_evidence: bool = False,
    confinement: str = "",
) -> GateReport:
    """Ask a gate of a change about the documents below ``folder`` and a repository.

    ``folder`` is a run directory or any folder that holds ``artifacts/``. ``lite`` and ``full`` run
    the repository's own commands, confined, on a copy. Raises `UsageError` for any other gate.
    """
    from custody.engine.gate_trial import BY_COMMANDS, BY_DOCUMENTS, ask_gate, run_gate

    if name in BY_COMMANDS:
        return run_gate(name, repo=repo, confinement=confinement)
    if name not in BY_DOCUMENTS:
        known = ", ".join((*BY_DOCUMENTS, *BY_COMMANDS))
        raise UsageError(f"no gate named {name!r} can be asked", hint=f"one of {known}")
    return ask_gate(name, repo=repo, folder=folder, check_evidence=check_evidence)


def _remove(folder: Root, name: str) -> None:
    if folder.exists(name):
        folder.remove(name)


def runs_of(repo: str) -> str:
    """Return where the runs of a repository's changes are kept: never in the repository."""
    from custody.engine.change_start import slug_of
    from custody.store.places import leads_to, user_data

    place = leads_to(os.path.abspath(repo))
    slug = _settings_of(place).slug
    return os.path.join(user_data(os.environ), slug_of(slug or os.path.basename(place)))


def _settings_of(repo: str) -> ChangeSettings:
    from custody.store.change_settings import change_settings
    from custody.store.root import Root

    with Root.open(repo) as root:
        return change_settings(root)


def start(
    wanted: WantedChange,
    *,
    repo: str = os.curdir,
    runsdir: str = "",
    run_id: str = "",
    confinement: str = "",
    listeners: tuple[Listener, ...] = (),
) -> RunResult:
    """Begin a change of a repository, and take it as far as it goes without a person.

    The commands of a gate that ``wanted`` names none for are those of the repository's settings.
    """
    from custody import api
    from custody.engine.change_start import PIPELINE, start_of
    from custody.store.places import lies_in

    pipeline = api.load(PIPELINE)
    begun = start_of(wanted, pipeline, _settings_of(repo))
    place = runsdir or runs_of(repo)
    if lies_in(place, repo):
        what = "the runs of a change do not lie in the repository that is changed"
        raise UsageError(what, where=place, hint="choose another folder by --runsdir")
    if wanted.land:
        _refuse_landing(repo, wanted.land)
    if begun.packs:
        _refuse_without_documents(repo)
    return api.run(
        PIPELINE,
        workdir=repo,
        runsdir=place,
        run_id=run_id,
        agent=wanted.agent or PERSON,
        roles=begun.roles,
        documents=begun.documents,
        variables=begun.variables,
        confinement=confinement,
        look_first=True,
        listeners=listeners,
    )


def advance(run: str, *, runsdir: str, listeners: tuple[Listener, ...] = ()) -> RunResult:
    """Go on with a change: what a person was asked for may be there by now."""
    from custody import api

    return api.resume(run, runsdir=runsdir, listeners=listeners)


def land(result: RunResult) -> Applied | None:
    """Make the branch and the commit that a change was started with; None where none is due.

    All of the patch is in it, or nothing is. A change that has landed is told of again. Raises
    `Refused` on a dirty tree.
    """
    from custody.engine.apply import apply
    from custody.store.history import History
    from custody.store.rundir import RunDirectory

    with RunDirectory.open(result.path, write=False) as run:
        branch = History.read(run).genesis.variables.get("land", "")
    if not branch or result.summary.status != "PASS":
        return None
    if landed := _landed(result, branch):
        return landed
    _refuse_landing(result.source, branch)
    return apply(result.path, branch=branch, ignored=True)


def bundle(run: str, *, runsdir: str) -> bytes:
    """Return the bundle of a run: the one that it has made, or one of how far it has come."""
    from custody.checks.guards.secrets import redactor_for
    from custody.store.index import find_run
    from custody.store.rundir import RunDirectory
    from custody.views.bundle import make_bundle
    from custody.views.bundle_files import bundle_files

    with RunDirectory.open(find_run(run, runsdir), write=False) as opened:
        if opened.root.exists(layout.BUNDLE):
            return opened.root.read(layout.BUNDLE)
        redactor = redactor_for(os.environ)
        files = bundle_files(opened)
        return make_bundle({path: redactor.redact_bytes(data)[0] for path, data in files.items()})


def _landed(result: RunResult, branch: str) -> Applied | None:
    """Return what is on the branch already; None while nothing of the change is."""
    from custody.engine.apply import Applied
    from custody.engine.apply_branch import head_line
    from custody.workspace.repository import Repository

    summary = result.summary
    commit = Repository(result.source).commit_with(branch, head_line(summary.head))
    if not commit:
        return None
    return Applied(
        run_id=result.run_id,
        verdict="PASS",
        head=summary.head,
        folder=result.source,
        branch=branch,
        commit=commit,
    )


def _refuse_without_documents(repo: str) -> None:
    """Raise `PackFailed` where no request could get a pack, before anybody is asked for one."""
    from custody.model.contracts.context_pack import PackFailure
    from custody.store.root import Root
    from custody.workspace.pack.librarian import make_pack
    from custody.workspace.pack.request import NOTHING_MORE

    with Root.open(repo) as root:
        made = make_pack(root, NOTHING_MORE)
    if isinstance(made, PackFailure):
        raise PackFailed(made.code, made.message, where=repo, hint=made.hint)


def _refuse_landing(repo: str, branch: str) -> None:
    """Raise `Refused` or `UsageError` where no commit may be made."""
    from custody.workspace.repository import Repository

    repository = Repository(repo)
    repository.refuse_branch(branch)
    repository.refuse_dirty()
