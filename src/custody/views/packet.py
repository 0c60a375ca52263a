"""``evidence/packet.json``: the claims of an ended run, each with what a stranger needs.

What failed comes first, then what gates passed, then what was made. A file is quoted where it is
text and no larger than `QUOTED_MOST`, a log by its end and all else by its beginning; names that
hold secrets are never quoted. A file whose content is not to be had any more is cited without a
quote: its hash stands in the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from custody.errors import UriRefused
from custody.evidence.excerpt import Quote, quote
from custody.evidence.run_files import source_id
from custody.evidence.source import DOCS
from custody.evidence.tail import last_lines
from custody.evidence.uri import build_docs_evidence_uri
from custody.model import layout
from custody.model.change import Change
from custody.model.event import (
    AnyFact,
    GateFailed,
    GatePassed,
    GuardrailViolation,
    RequestAnswered,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.packet import Cited, Claim, Packet, Reason, Repeat
from custody.model.secret_files import is_secret
from custody.model.state import State
from custody.views.claims import MOST, Claims, Held, Told

QUOTED_MOST = 1 << 20
"""Bytes of a file that is quoted."""
MOST_EVIDENCE = 6
"""Of one claim; what is left out is counted."""
LONGEST = 500
"""Characters of a reason that stand in a packet."""

Contents = Callable[[Evidence], bytes | None]
"""Gives what a file of the run held when it was recorded; None when that is lost."""


class Packer:
    """Puts the claims of one run into words."""

    def __init__(self, run_id: str, claims: Claims, state: State, contents: Contents) -> None:
        self._run_id = run_id
        self._claims = claims
        self._state = state
        self._contents = contents
        self._cited: dict[tuple[str, str], Cited | None] = {}
        """What was cited by now, by path and hash: claims about one attempt have it in common."""

    def packet(self, head: str, changes: Iterable[Change]) -> Packet:
        """Return the packet; ``changes`` are those of the run as a whole."""
        made = [*self._documents(), *_files(changes)]
        outputs = [claim for claim in map(self._output, made[:MOST]) if claim is not None]
        held = [*self._claims.failed, *self._claims.passed]
        counted = self._claims.counted
        return Packet(
            title=self._claims.pipeline,
            run_id=self._run_id,
            status=self._state.status,
            head=head,
            claims=(*map(self._judged, held), *outputs),
            left_out={
                "failed": counted["failed"] - len(self._claims.failed),
                "passed": counted["passed"] - len(self._claims.passed),
                "made": len(made) - len(outputs),
            },
        )

    def _judged(self, held: Held) -> Claim:
        """Return a gate's verdict, or that a stage failed."""
        about, fact = held.about, held.fact
        sentence, gate = _sentence(fact, about.name)
        evidence = [item for item in (*about.returned, *about.given) if _tells(item, gate)]
        cited = [one for one in map(self._cite, evidence[:MOST_EVIDENCE]) if one is not None]
        return Claim(
            id=f"gate:{about.name}:{gate}" if gate else f"stage:{about.name}",
            kind="gate" if gate else "stage",
            result="passed" if isinstance(fact, GatePassed) else "failed",
            claim=sentence,
            evidence=tuple(cited),
            evidence_left_out=len(evidence) - len(cited),
            reasoning=tuple(_reasons(about.told, held.seq)),
            risk_and_next_steps=tuple(self._risks(held)),
            verification=self._again(replays=True),
        )

    def _output(self, made: tuple[str, Evidence]) -> Claim | None:
        """Return that something was made; None for a name that no uri can hold."""
        what, item = made
        if (cited := self._cite(item)) is None:
            return None
        told, stage = self._claims.made_by.get(item.path, (None, ""))
        return Claim(
            id=f"output:{item.path}",
            kind="output",
            result="made",
            claim=f"{what} {item.path}" + (f", by {stage}" if stage else ""),
            evidence=(cited,),
            reasoning=() if told is None else (_reason(told),),
            risk_and_next_steps=(_ONLY_MADE,),
            verification=self._again(replays=False),
        )

    def _documents(self) -> Iterator[tuple[str, Evidence]]:
        """Yield the documents that the run has written, the last ones first."""
        for path, item in reversed(self._state.documents.items()):
            if path not in self._state.given:
                yield "the run wrote", item

    def _cite(self, item: Evidence) -> Cited | None:
        key = item.path, item.sha256
        if key not in self._cited:
            self._cited[key] = self._citation(item)
        return self._cited[key]

    def _citation(self, item: Evidence) -> Cited | None:
        try:
            uri = build_docs_evidence_uri(item.path, item.sha256)
        except UriRefused:
            return None
        found = self._quote(item)
        return Cited(
            artifact_uri=uri,
            sha256=item.sha256,
            source_id=source_id(self._run_id, item.path),
            source_type=DOCS,
            kind="log" if layout.is_log(item.path) else "document",
            excerpt="" if found is None else found.excerpt,
            bytes=None if found is None else found.bytes,
            lines=None if found is None else found.lines,
        )

    def _quote(self, item: Evidence) -> Quote | None:
        if item.bytes > QUOTED_MOST or is_secret(item.path):
            return None
        data = self._contents(item)
        if not data or not _is_text(data):
            return None
        return last_lines(data) if layout.is_log(item.path) else quote(data)

    def _risks(self, held: Held) -> Iterator[str]:
        about = held.about
        if about.stand_in:
            yield f"{about.stand_in} stood in for an agent: the answer is nobody's work"
        if isinstance(held.fact, GatePassed):
            yield "a gate that passed says what that gate looks at, and nothing else"
            return
        if about.node in self._state.unhandled:
            yield "nobody handled the failure, so the run failed"
        else:
            yield "the run went on from there: later claims say what became of it"
        yield f"`custody show {self._run_id} {about.node}` shows what was asked and answered"

    def _again(self, *, replays: bool) -> tuple[Repeat, ...]:
        """Return the commands that check a claim again."""
        replay = Repeat(
            command=f"custody replay {self._run_id}",
            passes="it says `agreed`: each gate, judged again from the record, says the same",
        )
        verify = Repeat(
            command=f"custody verify {self._run_id}",
            passes="it says `intact`: the files are those that the journal names",
        )
        quotes = Repeat(
            command=f"custody evidence verify {self._run_id}",
            passes="each excerpt is found verbatim in what its uri points at",
        )
        return (replay, verify, quotes) if replays else (verify, quotes)


_ONLY_MADE = "it was made: whether it is right is judged by the gates that looked at it, if any did"
_OF_CHANGES = "writes"
"""The gate that looks at what was changed, and at nothing else."""


def _tells(item: Evidence, gate: str) -> bool:
    """Whether a file tells anything about what a gate looks at; an empty one does not."""
    is_diff = item.path.endswith(f"/{layout.WORKSPACE_DIFF}")
    return bool(item.bytes) and (is_diff or gate != _OF_CHANGES)


def _files(changes: Iterable[Change]) -> Iterator[tuple[str, Evidence]]:
    """Yield the files of the workspace that differ, as they are now."""
    for change in changes:
        after = change.after
        if after is not None and after.kind == "file":
            path = f"{layout.WORKSPACE}/{change.path}"
            item = Evidence(path=path, sha256=after.sha256, bytes=after.bytes)
            yield ("the run added" if change.change == "added" else "the run changed"), item


def _sentence(
    fact: GatePassed | GateFailed | StageRetrying | StageFailed, name: str
) -> tuple[str, str]:
    """Return what is claimed, and the gate that says so; no gate where the stage itself failed."""
    match fact:
        case GatePassed():
            return f"gate {fact.gate} passed at {name}", fact.gate
        case GateFailed():
            return _short(f"gate {fact.gate} failed at {name}: {fact.reason}"), fact.gate
        case _:
            return _short(f"{name} failed: {fact.outcome.failure_reason}"), ""


def _reasons(told: Iterable[Told], seq: int) -> Iterator[Reason]:
    """Yield the lines about an attempt, of its gates the one that is claimed."""
    for one in told:
        if one[0] == seq or not isinstance(one[1], GatePassed | GateFailed):
            yield _reason(one)


def _reason(told: Told) -> Reason:
    seq, fact = told
    return Reason(seq=seq, event=type(fact).__name__, says=_short(_says(fact)))


def _says(fact: AnyFact) -> str:  # noqa: PLR0911 - one answer for each kind of fact
    match fact:
        case StageStarted():
            return f"{fact.type}, visit {fact.visit}, attempt {fact.attempt}"
        case RequestAnswered():
            code = fact.ack.exit_code
            return fact.ack.status if code is None else f"{fact.ack.status}, exit code {code}"
        case GatePassed():
            return f"{fact.gate}: passed"
        case GateFailed():
            return f"{fact.gate}: {'; '.join(each.reason for each in fact.verdicts)}"
        case GuardrailViolation():
            return "; ".join(f"{each.code}: {each.reason}" for each in fact.verdicts)
        case StageRetrying() | StageCompleted() | StageFailed():
            why = fact.outcome.failure_reason or fact.outcome.notes
            return f"{fact.outcome.status}: {why}" if why else fact.outcome.status
        case RouteChosen():
            how = "by condition" if fact.route.by_condition else "unconditional"
            return f"to {fact.route.target}, {how}" if fact.route.target else "no way on"
        case _:
            return ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 2]} …"


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False
