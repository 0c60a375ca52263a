"""Gates of a change, asked outside of any run: about a folder of documents and a repository.

The gates are those that a run asks, and they judge the same: `plan_check`, `patch_check` and
`behavior_catalog_check` from documents, `lite` and `full` from commands that are run, confined, on
a copy of the repository. A gate that had nothing to judge, or could not, was not executed, which
is neither passed nor failed.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal

from custody.checks.gates import Case, Gate, gates
from custody.checks.gates.patch_check import PatchCheck
from custody.checks.gates.plan_check import PlanCheck
from custody.errors import (
    ConfinementMissing,
    CustodyError,
    MalformedDocument,
    PathRefused,
    PipelineInvalid,
    StorageFailed,
)
from custody.model import layout
from custody.model.change import WorkspaceDiff
from custody.model.event import (
    AnyFact,
    GateFailed,
    GatePassed,
    JournalLine,
    RequestAnswered,
    StageFailed,
)
from custody.model.evidence import Evidence
from custody.model.finding import Finding
from custody.model.record import Record, decode, encode_pretty
from custody.model.request import Ack
from custody.model.verdict import Verdict
from custody.store.root import Root

if TYPE_CHECKING:
    from custody.patch import FileChange

BY_DOCUMENTS = ("plan_check", "patch_check", "behavior_catalog_check")
BY_COMMANDS = ("lite", "full")
DOCUMENT_LIMIT = 64 << 20
"""Most bytes of a document."""
_LINKS = 1 << 16
"""Names that a file may have: nothing is written to it."""

_PIPELINE = """digraph gate {{
    start [shape=Mdiamond]
    check [type=verification, verification.required_commands="{commands}"]
    judge [type=gate, stage=check, gates={gate}]
    done  [shape=Msquare]
    start -> check -> judge -> done
}}
"""
GateWord = Literal["passed", "failed", "not_executed"]


class GateCommand(Record, frozen=True):
    """A command of a gate, and how it ended."""

    cmd: str
    exit_code: int | None


class GateReport(Record, frozen=True):
    """What a gate says, or why it says nothing."""

    gate: str
    result: GateWord
    reason: str = ""
    """Why it was not executed; empty when it was."""
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    """What is told and changes nothing."""
    commands: tuple[GateCommand, ...] = ()


def ask_gate(name: str, *, repo: str, folder: str, check_evidence: bool = False) -> GateReport:
    """Ask a gate of `BY_DOCUMENTS`; the documents lie below ``folder`` as in a run directory."""
    try:
        documents = _documents(folder)
        if name == PlanCheck.name and not documents:
            return _not_executed(name, f"there is nothing in {folder}/{layout.ARTIFACTS}")
        if name == PatchCheck.name and layout.PATCH not in documents:
            return _not_executed(name, f"there is no {layout.PATCH} in {folder}")
        with Root.open(repo) as root:
            if name == PatchCheck.name:
                _take_policy(root, documents)
            else:
                documents[layout.SURVEY] = _survey(root, documents.get(layout.EXPECTED_RESULTS))
            verdicts = tuple(_gate(name, check_evidence).judge(_case(documents)))
            if name == PatchCheck.name and not verdicts:
                verdicts = tuple(_judge_place(documents[layout.PATCH], root))
    except CustodyError as error:
        return _not_executed(name, str(error))
    notes = tuple(_notes(documents)) if name == PlanCheck.name else ()
    word: GateWord = "failed" if verdicts else "passed"
    return GateReport(gate=name, result=word, verdicts=verdicts, notes=notes)


def run_gate(name: str, *, repo: str, confinement: str = "") -> GateReport:
    """Run the commands of a gate of `BY_COMMANDS`; nothing of the repository is changed."""
    from custody.store.change_settings import change_settings

    try:
        with Root.open(repo) as root:
            settings = change_settings(root)
        commands = settings.lite if name == "lite" else settings.full
        if not commands:
            where = f"the table [change] of {repo}/custody.toml"
            return _not_executed(name, f'{where} names no command: {name} = ["…"]')
        if odd := next((text for text in commands if "," in text or not text.isprintable()), ""):
            return _not_executed(name, f"a command may hold no comma: {odd!r}")
        return _run(name, commands, repo, confinement)
    except PipelineInvalid as error:
        found = [each.message for each in error.findings if isinstance(each, Finding)]
        return _not_executed(name, "; ".join(found) or str(error))
    except (ConfinementMissing, MalformedDocument, PathRefused, StorageFailed) as error:
        return _not_executed(name, str(error))


def _run(name: str, commands: tuple[str, ...], repo: str, confinement: str) -> GateReport:
    """Run a pipeline of one verification, and of the gate that judges it."""
    from custody.engine import begin
    from custody.engine.given import Given
    from custody.handlers import catalog
    from custody.pipeline.read import load_pipeline
    from custody.store.scratch import scratch

    facts: list[AnyFact] = []

    def hear(_line: JournalLine, fact: AnyFact) -> None:
        facts.append(fact)

    listed = ",".join(commands).replace("\\", "\\\\").replace('"', '\\"')
    source = _PIPELINE.format(commands=listed, gate=name).encode()
    pipeline = load_pipeline(source, catalog(), f"the commands of {name}")
    with scratch() as folder:
        given = Given(workdir=os.path.abspath(repo), confinement=confinement)
        runsdir = f"{folder.path}/runs"
        result = begin.begin(pipeline, given, runsdir=runsdir, run_id="gate", listeners=(hear,))
        with Root.open(result.path) as run:
            return _told(name, facts, run)


def _told(name: str, facts: list[AnyFact], run: Root) -> GateReport:
    """Return what the gate said about the commands; nothing where none was run."""
    from custody.model.plan import VerificationResults

    acks = [fact.ack for fact in facts if isinstance(fact, RequestAnswered)]
    paths = [each.path for ack in acks for each in ack.evidence]
    recorded = [path for path in paths if path.endswith(f"/{layout.VERIFICATION_RESULTS}")]
    judged = [fact for fact in facts if isinstance(fact, GatePassed | GateFailed)]
    last = next((fact for fact in reversed(judged) if fact.gate == name), None)
    if last is None or not recorded:
        failed = [fact.outcome.failure_reason for fact in facts if isinstance(fact, StageFailed)]
        return _not_executed(name, failed[0] if failed else "no command was run")
    results = decode(run.read(recorded[0]), VerificationResults, where=recorded[0])
    ran = tuple(GateCommand(cmd=one.command, exit_code=one.exit_code) for one in results.commands)
    verdicts = last.verdicts if isinstance(last, GateFailed) else ()
    notes = tuple(ack.failure_summary for ack in acks if ack.failure_summary)
    word: GateWord = "failed" if verdicts else "passed"
    return GateReport(gate=name, result=word, verdicts=verdicts, notes=notes, commands=ran)


def _documents(folder: str) -> dict[str, bytes]:
    """Return the documents of a change that lie below a folder; raises `CustodyError`."""
    found: dict[str, bytes] = {}
    with Root.open(folder) as root:
        for name in layout.CHANGE_FOLDERS:
            if not root.exists(name):
                continue
            for file in root.names(name):
                path = f"{name}/{file}"
                if stat.S_ISREG(root.stat(path).st_mode):
                    found[path] = root.read(path, limit=DOCUMENT_LIMIT, links=_LINKS)
    return found


def _case(documents: Mapping[str, bytes]) -> Case:
    """Return documents as the record that a gate judges."""
    evidence = {
        path: Evidence(path=path, sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))
        for path, data in documents.items()
    }

    def read(wanted: Evidence) -> bytes:
        return documents[wanted.path]

    ack = Ack(request_id="gate/1.1", status="ok")
    nothing = WorkspaceDiff(changes=())
    return Case(None, ack, nothing, read, _no_blob, documents=evidence, written=read)


def _no_blob(sha256: str) -> bytes:
    raise MalformedDocument("blob", f"outside of a run there is no content {sha256}")


def _gate(name: str, check_evidence: bool) -> Gate:
    return PlanCheck(check_evidence=check_evidence) if name == PlanCheck.name else gates()[name]()


def _survey(root: Root, expected: bytes | None) -> bytes:
    from custody.pipeline.contracts.expected_results import read_expected_results
    from custody.workspace.behaviors import survey

    results = read_expected_results(expected).draft.results if expected is not None else ()
    return encode_pretty(survey(root, [path for each in results for path in each.evidence]))


def _take_policy(root: Root, documents: dict[str, bytes]) -> None:
    """Take the policy of the repository, where it has one, as a run does."""
    from custody.executors.steps.patch import POLICY, POLICY_LIMIT

    if root.exists(POLICY):
        documents[layout.PATCH_POLICY] = root.read(POLICY, limit=POLICY_LIMIT, links=_LINKS)


def _notes(documents: Mapping[str, bytes]) -> Iterator[str]:
    """Yield what is odd about the plan and forbids nothing."""
    from custody.checks.contracts import told
    from custody.pipeline.contracts.plan import read_plan

    for finding in read_plan(documents.get(layout.PLAN, b"")).findings:
        if finding.severity == "warning":
            yield told(finding, layout.PLAN)


def _judge_place(patch: bytes, root: Root) -> Iterator[Verdict]:
    """Judge a patch by the files that are there: whether it fits them, and where it lands."""
    from custody.patch.apply import apply_patch
    from custody.patch.read import read_patch
    from custody.patch.root_tree import RootTree

    changes = read_patch(patch)
    yield from _collisions(changes, root)
    try:
        apply_patch(changes, RootTree(root))
    except (MalformedDocument, PathRefused) as error:
        what = f"PATCH_GIT_CHECK_FAIL: it does not apply: {error.what}"
        yield PatchCheck().wrong("git_check", what, layout.PATCH)


def _collisions(changes: tuple[FileChange, ...], root: Root) -> Iterator[Verdict]:
    from custody.checks.guards.paths import admit_write

    gone = {os.fsdecode(change.removes) for change in changes if change.removes is not None}
    for change in changes:
        path = os.fsdecode(change.new_path or b"")
        try:
            if path:
                admit_write(path, root, gone=gone)
        except PathRefused as refused:
            what = f"PATCH_PATH_INVALID: {refused.what}"
            yield PatchCheck().wrong(refused.code, what, path)


def _not_executed(name: str, reason: str) -> GateReport:
    return GateReport(gate=name, result="not_executed", reason=reason)
