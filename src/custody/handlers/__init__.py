"""What each kind of node means: one file a type.

A handler is three pure functions: from a node and where the run stands to the request that must
be made, from the node to the gates that judge what came of it, and from what passed them to the
outcome. Everything else about a stage (guards, evidence, retries, routing) is the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, ClassVar, TypeVar

import msgspec

from custody.checks.gates import Case, Gate
from custody.errors import Refused
from custody.model.evidence import Evidence
from custody.model.graph import Catalog, Node, NodeType
from custody.model.journal_version import CURRENT, JournalVersion
from custody.model.need import Need
from custody.model.outcome import Outcome, OutcomeStatus
from custody.model.output import DEFAULT_LIMIT, EXIT_CODE, Output, output_named
from custody.model.request import Ack, AckStatus, AnyRequest, CommandLine
from custody.model.scope import Scope
from custody.model.state import State
from custody.model.verdict import Verdict
from custody.model.verify_event import AnyAnnouncement
from custody.pipeline.document import document_path
from custody.pipeline.template import CONTEXT, as_text, expand, look_up, names_in
from custody.store.packages import module_names

_Kind = TypeVar("_Kind")

DOCUMENTS_LIMIT = 256 << 10
"""Bytes of one document that a template shows."""


class Situation(msgspec.Struct, frozen=True):
    """Where the run stands when a stage is entered."""

    state: State
    """With this attempt not yet counted."""
    scope: Scope
    """What the stages of the same item share, or those of the run."""
    values: Mapping[str, str]
    """What the names in templates stand for."""
    read: Callable[[Evidence], bytes]
    """Gives what a document held when it was written."""
    recorded: Callable[[Evidence], bytes]
    """Gives the bytes of what an attempt left, checked against their hash."""
    agent: str
    """The agent of nodes that name none."""
    request_id: str
    """Of the one request that this attempt may make."""
    folder: str
    """The attempt's folder, relative to the run directory."""
    prefix: str = ""
    """What the names of the pipeline's nodes begin with in the journal; empty for the run's own."""
    output_limit: int = DEFAULT_LIMIT
    """Bytes of a command's output that the prompt may show."""
    version: JournalVersion = CURRENT
    """Of the run's journal."""

    def expand(self, template: str) -> str:
        """Return a template's text; raises `Refused` when something that it needs is not there."""
        values = dict(self.values)
        for name in names_in(template):
            if name in values:
                continue
            if name.startswith(CONTEXT):
                values[name] = as_text(self.look_up(name))
            elif (named := output_named(name)) is not None:
                values[name] = self._output(*named)
            else:
                raise Refused("template", f"no value for ${{{name}}}")
        return expand(template, values, self._document)

    def last_failure(self) -> tuple[str, Output | None]:
        """Return what is told of the failure that the next agent must know of, and its output."""
        failure = self.scope.last_failure
        node = str(failure.get("node", ""))
        told = str(failure.get("summary") or failure.get("reason") or "").strip()
        return told, self.state.scope(node).outputs.get(node) if node else None

    def _output(self, node: str, field: str) -> str:
        """Return what the last command of a stage left; nothing as long as there was none."""
        output = self.scope.outputs.get(self.prefix + node)
        if output is None:
            return ""
        if field == EXIT_CODE:
            return "" if output.exit_code is None else str(output.exit_code)
        from custody.handlers.output import excerpt

        stream: Evidence | None = getattr(output, field)
        return "" if stream is None else excerpt(self.recorded(stream), self.output_limit)

    def look_up(self, name: str) -> Any:
        """Return what ``context.KEY`` means; raises `Refused` when there is no such thing."""
        try:
            return look_up(self.scope.context, name.removeprefix(CONTEXT))
        except KeyError:
            raise Refused("template", f"nothing in the context is called {name!r}") from None

    def _document(self, kind: str, path: str) -> str:
        """Return the text of a document, or of all below a folder, each under its path."""
        if kind == "doc":
            written = self.state.documents.get(str(document_path(path)))
            if written is None:
                raise Refused("template", f"no stage has written {path}")
            return self._text(written)
        folder = f"{document_path(path.rstrip('/'), folder=True)}/"
        below = [each for each in self.state.documents.values() if each.path.startswith(folder)]
        return "\n".join(f"### {each.path}\n\n{self._text(each)}" for each in below)

    def _text(self, written: Evidence) -> str:
        data = self.read(written)
        if len(data) <= DOCUMENTS_LIMIT:
            return data.decode(errors="replace")
        kept = data[:DOCUMENTS_LIMIT].decode(errors="ignore")
        return f"{kept}… [cut: {len(data)} bytes, sha256 {written.sha256}]\n"


class Handler:
    """The meaning of one node type; each one says what differs from asking nothing."""

    type: ClassVar[NodeType]
    announces: ClassVar[bool] = False
    """Whether it has facts of its own to tell of an attempt: see `opening` and `closing`."""

    def request(self, node: Node, situation: Situation) -> AnyRequest | None:  # noqa: ARG002
        """Return what must be asked for; None when the node needs nothing from outside.

        Raises `Refused` when a guard forbids it.
        """
        return None

    def starts_programs(self, node: Node, agent: str) -> bool:  # noqa: ARG002
        """Whether a stage of this node may start one; ``agent`` is that of nodes without any."""
        return False

    def needs(
        self,
        node: Node,  # noqa: ARG002
        agent: str,  # noqa: ARG002
        environment: Mapping[str, str],  # noqa: ARG002
    ) -> Iterator[Need]:
        """Yield what must be there for a stage of this node; ``agent`` is as above."""
        yield from ()

    def gates(self, node: Node) -> tuple[Gate, ...]:  # noqa: ARG002
        """Return what judges an attempt, in order; none for a node that asks nothing."""
        return ()

    def judged(self, node: Node) -> str:  # noqa: ARG002
        """Return the stage whose record the gates look at; empty for the node's own."""
        return ""

    def opening(
        self,
        node: Node,  # noqa: ARG002
        situation: Situation,  # noqa: ARG002
    ) -> AnyAnnouncement | None:
        """Return what others look for when an attempt begins, beside the engine's own facts."""
        return None

    def closing(
        self,
        node: Node,  # noqa: ARG002
        situation: Situation,  # noqa: ARG002
        case: Case,  # noqa: ARG002
        outcome: Outcome,  # noqa: ARG002
        verdicts: tuple[Verdict, ...],  # noqa: ARG002
    ) -> AnyAnnouncement | None:
        """Return the same when it has been judged; ``verdicts`` is what the gates found wrong."""
        return None

    def outcome(self, node: Node, case: Case) -> Outcome:  # noqa: ARG002
        """Return what an answer that has passed the gates means for the run."""
        return acknowledged(case.ack)


def programs_of(line: CommandLine) -> Iterator[Need]:
    """Yield each program that a command line starts."""
    for command in line.commands:
        if command.argv:
            hint = "install it, or add its folder to PATH"
            yield Need(kind="program", names=command.argv[:1], hint=hint)


def acknowledged(ack: Ack) -> Outcome:
    """Return what an answer says of itself."""
    return Outcome(
        status=_OUTCOMES[ack.status],
        failure_reason=ack.failure_reason,
        failure_summary=ack.failure_summary,
        notes=ack.notes,
        context_updates=ack.context_updates,
        refused=ack.verdicts,
    )


_OUTCOMES: dict[AckStatus, OutcomeStatus] = {
    "ok": "success",
    "partial": "partial_success",
    "retry": "retry",
    "failed": "fail",
    "timeout": "fail",
    "refused": "fail",
}


class _ByType(Mapping[str, _Kind]):
    """What each node type has of one kind; see `handlers` for what is loaded when."""

    def __init__(self, make: Callable[[type[Handler]], _Kind]) -> None:
        self._make = make
        self._made: dict[str, _Kind] = {}

    def __getitem__(self, name: str) -> _Kind:
        if name not in self._made and name in _modules():
            _load([name])
            self._make_all()
        return self._made[name] if name in self._made else self._all()[name]

    def __contains__(self, name: object) -> bool:
        return name in self._made or super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, _Kind]:
        """Return what all types have, in order of their modules."""
        _load(_modules())
        return self._make_all()

    def _make_all(self) -> dict[str, _Kind]:
        """Return what the types have whose modules are loaded, each made once."""
        for kind in _kinds(Handler):
            if kind.type.name not in self._made:
                self._made[kind.type.name] = self._make(kind)
        return {kind.type.name: self._made[kind.type.name] for kind in _kinds(Handler)}


@cache
def _modules() -> list[str]:
    return module_names(__path__)


def _load(modules: Iterable[str]) -> None:
    from importlib import import_module

    for module in modules:
        import_module(f"{__name__}.{module}")


def _kinds(base: type[Handler]) -> Iterator[type[Handler]]:
    """Yield every class below ``base`` that is loaded, in order of their modules."""
    for kind in sorted(base.__subclasses__(), key=lambda kind: kind.__module__):
        yield kind
        yield from _kinds(kind)


@cache
def handlers() -> Mapping[str, Handler]:
    """Return every handler by the node type it serves: one for each module of this package.

    The module that is called like a type is loaded when that type is asked for, and all of them
    when somebody goes through them or asks for a type that none is called like. A run needs few.
    """
    return _ByType(lambda kind: kind())


@cache
def catalog() -> Catalog:
    """Return what the pipeline's rules must know of the node types, loaded as `handlers` are."""
    return _ByType(lambda kind: kind.type)
