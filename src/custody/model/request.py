"""The only door to the outside: a request goes out, an ack comes back."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from custody.model.confinement import Confined
from custody.model.evidence import Evidence
from custody.model.ingest import IngestLimits
from custody.model.limits import Limit, StageLimits
from custody.model.record import Record
from custody.model.verdict import Verdict

AckStatus = Literal["ok", "partial", "retry", "failed", "timeout", "refused"]


class Command(Record, frozen=True, omit_defaults=True):
    """One program to start, without a shell."""

    argv: tuple[str, ...]
    workdir: str = ""
    """Relative to the workspace; empty for its root."""
    environment: dict[str, str] = {}
    """Variables set for this command only."""
    joined_by: Literal["", "&&", "||", ";", "|"] = ""
    """How it is joined to the command before it."""


class CommandLine(Record, frozen=True):
    """A command as written, and what will be started for it."""

    text: str
    commands: tuple[Command, ...]


STAND_INS = ("fake", "stub")
"""Agents that only stand in for one, to try a pipeline: what they answer is nobody's work."""


class Request(Record, frozen=True, tag_field="kind"):
    """What is asked for. `id` is unique in its run, so that asking twice is harmless."""

    id: str
    """``<node>/<visit>.<attempt>``."""
    timeout: float
    """Seconds after which the work is ended."""

    def given(self) -> tuple[Evidence, ...]:
        """Return the files that the stage's folder holds before the work begins."""
        return ()


class AgentRequest(Request, frozen=True, tag="agent"):
    """An agent is given a prompt and the workspace."""

    agent: str
    prompt: Evidence
    call: int
    """How often this node has asked by now, itself included."""
    response_context: str = ""
    """Context key for the JSON block that the response must hold; empty when none is due."""
    response_schema: str = ""
    """JSON Schema that the block must fit; empty when any JSON will do."""
    settings: dict[str, str] = {}
    """Attributes of the node that are meant for this agent."""
    output_path: str = ""
    """The document that the response becomes, where nothing else may be changed; or empty."""
    network: tuple[str, ...] = ()
    """What of it is open: ``none``, ``loopback`` or ``host``, or each ``host:port``;
    empty for what the agent's configuration names."""
    ingest: IngestLimits | None = None
    """Whether the document's blocks become files, and how much of it; None leaves them."""
    limits: dict[Limit, int] | UnsetType = UNSET
    """What its programs may take, as far as the pipeline says it: see `StageLimits`. Not there
    when it says nothing, as in every record from before there were limits."""
    role: str | UnsetType = UNSET
    """What the agent is in a change, where it is asked for an artifact of one."""
    action: str | UnsetType = UNSET
    """What it is to do there, in one word."""
    briefs: tuple[Evidence, ...] | UnsetType = UNSET
    """Documents that are written before it is asked, and stand in its prompt as well."""

    def given(self) -> tuple[Evidence, ...]:
        """Return the prompt."""
        return (self.prompt,)

    def sealed(self) -> AgentRequest:
        """Return the request as the journal keeps it."""
        prompt = self.prompt.sealed()
        if self.briefs is not UNSET:
            briefs = tuple(brief.sealed() for brief in self.briefs)
            return replace(self, prompt=prompt, briefs=briefs)
        return self if prompt is self.prompt else replace(self, prompt=prompt)


class ToolRequest(Request, frozen=True, tag="tool"):
    """A command is run in the workspace."""

    line: CommandLine
    network: tuple[str, ...] = ()
    """What of it is open: ``none``, ``loopback`` or ``host``, or each ``host:port``."""
    limits: dict[Limit, int] | UnsetType = UNSET
    """As in `AgentRequest`."""

    def sealed(self) -> ToolRequest:
        """Return the request as the journal keeps it."""
        return self


PLAN_KEY = "verification.plan"
"""Where in the context a verification finds its plan."""


class VerificationRequest(Request, frozen=True, tag="verification"):
    """Files must be there and commands must succeed."""

    plan: Evidence
    required_files: tuple[str, ...]
    lines: tuple[CommandLine, ...]
    network: tuple[str, ...] = ()
    """What of it is open: ``none``, ``loopback`` or ``host``, or each ``host:port``."""
    required: int | UnsetType = UNSET
    """How many lines, from the first on, the pipeline demands. Where it demands any, the stage
    judges and keeps nothing: what each of its commands changes is thrown away."""
    limits: dict[Limit, int] | UnsetType = UNSET
    """As in `AgentRequest`."""

    def given(self) -> tuple[Evidence, ...]:
        """Return the plan."""
        return (self.plan,)

    def sealed(self) -> VerificationRequest:
        """Return the request as the journal keeps it."""
        return replace(self, plan=self.plan.sealed())

    @property
    def keeps_nothing(self) -> bool:
        """Whether what the commands change is thrown away."""
        return bool(self.required)


class WriteRequest(Request, frozen=True, tag="write"):
    """A text is written to a document of the run."""

    document: Evidence
    ingest: IngestLimits | None = None
    """As in `AgentRequest`."""

    def sealed(self) -> WriteRequest:
        """Return the request as the journal keeps it."""
        return replace(self, document=self.document.sealed())


class StepRequest(Request, frozen=True, tag="step"):
    """A step of custody's own reads or changes the workspace, and says what it found."""

    step: str
    """Which one: a module of `custody.executors.steps`."""
    inputs: dict[str, Evidence] = {}
    """The documents that it reads, by the names it knows them under."""
    settings: dict[str, str] = {}
    writes: tuple[str, ...] = ()
    """The documents that it may write, and no others; all of a folder that ends with ``/``."""
    network: tuple[str, ...] = ()
    """What of it is open to its programs: as in `ToolRequest`."""
    limits: dict[Limit, int] | UnsetType = UNSET
    """As in `AgentRequest`."""

    def may_write(self, path: str) -> bool:
        """Whether a document is one of those that it may write."""
        return any(
            path == each or (each[-1:] == "/" and path.startswith(each)) for each in self.writes
        )

    def sealed(self) -> StepRequest:
        """Return the request as the journal keeps it."""
        return replace(self, inputs={name: item.sealed() for name, item in self.inputs.items()})


AnyRequest = AgentRequest | ToolRequest | VerificationRequest | WriteRequest | StepRequest


def ingest_of(request: AnyRequest) -> IngestLimits | None:
    """Return how much of a document becomes files; None when there is no document, or nothing."""
    return request.ingest if isinstance(request, AgentRequest | WriteRequest) else None


def stage_limits(
    request: AgentRequest | ToolRequest | VerificationRequest | StepRequest,
) -> StageLimits:
    """Return what the programs of a request may take, defaults included."""
    return StageLimits() if request.limits is UNSET else replace(StageLimits(), **request.limits)


class Usage(Record, frozen=True, omit_defaults=True):
    """What the work cost, where the agent tells it."""

    model: str = ""
    input_tokens: int = 0
    """Those that were read from a cache included."""
    output_tokens: int = 0
    cost_usd: float | None = None
    """US dollars; None where the agent does not tell it."""
    cached_tokens: int | None = None
    """Tokens of the input that were read from a cache; None where the agent does not tell it."""


class Spent(Record, frozen=True, omit_defaults=True):
    """What some requests cost together."""

    cost_usd: float = 0.0
    tokens: int = 0
    """Of input and output."""
    seconds: float = 0.0

    def plus(self, other: Spent) -> Spent:
        """Return both together."""
        return Spent(
            cost_usd=self.cost_usd + other.cost_usd,
            tokens=self.tokens + other.tokens,
            seconds=self.seconds + other.seconds,
        )


class Ack(Record, frozen=True, omit_defaults=True):
    """What happened. Clocks, exit codes and texts from outside enter a run only here."""

    request_id: str
    status: AckStatus
    seconds: float = 0.0
    exit_code: int | None = None
    failure_reason: str = ""
    failure_summary: str = ""
    """What the next agent is told of the failure: exit code and the ends of both streams."""
    notes: str = ""
    evidence: tuple[Evidence, ...] = ()
    context_updates: dict[str, Any] = {}
    verdicts: tuple[Verdict, ...] = ()
    """Refusals, when the status is ``refused``."""
    usage: Usage | None = None
    confined: Confined | None = None
    """What held for the programs that were started; None when there were none."""
    redacted: int = 0
    """How many secrets were taken out of what came back."""

    def spent(self) -> Spent:
        """Return what the work cost, as far as it is known."""
        usage = self.usage or Usage()
        return Spent(
            cost_usd=usage.cost_usd or 0.0,
            tokens=usage.input_tokens + usage.output_tokens,
            seconds=self.seconds,
        )

    def sealed(self) -> Ack:
        """Return the ack as the journal keeps it."""
        sealed = tuple([item.sealed() for item in self.evidence])
        return self if sealed == self.evidence else replace(self, evidence=sealed)
