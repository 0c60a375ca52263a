"""Rules about what was done: one file a gate.

A gate looks at what is recorded of an attempt, and at nothing else: at no clock, no workspace and
no earlier word of its own. So whoever has the record can judge again, and a replay does. What
follows when something is wrong is the gate's `effect`:

    refuse  the attempt counts for nothing: its changes are undone and it is never retried
    fail    the attempt failed; its changes stay, and it may be retried
    warn    it is told, and changes nothing
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import ClassVar, Self

import msgspec

from custody.model.change import WorkspaceDiff
from custody.model.evidence import Evidence
from custody.model.graph import AttributeRule, Node
from custody.model.journal_version import CURRENT, JournalVersion
from custody.model.request import Ack, AnyRequest
from custody.model.verdict import GateEffect, GateResult, Verdict
from custody.store.packages import module_names

CARRIED_OUT = frozenset({"ok", "partial"})
"""What an ack says whose request was carried out to its end."""


class Case(msgspec.Struct, frozen=True):
    """What is recorded of one attempt."""

    request: AnyRequest | None
    ack: Ack
    diff: WorkspaceDiff
    read: Callable[[Evidence], bytes]
    """Gives the bytes of evidence, checked against its hash."""
    content: Callable[[str], bytes]
    """Gives the bytes of a blob, checked against its name."""
    version: JournalVersion = CURRENT
    """Of the journal that it stands in: which rules there were when the run began."""
    documents: Mapping[str, Evidence] = MappingProxyType({})
    """The documents of the run as they are when a gate is asked, by path. What a stage is about to
    write is among them: it is judged before it is a document."""
    executed: Mapping[str, GateResult] = MappingProxyType({})
    """The last word of every gate that had something to judge by now."""
    written: Callable[[Evidence], bytes] | None = None
    """Gives what a document held when it was written; None where there is none."""

    def evidence(self, name: str) -> Evidence | None:
        """Return the file of that name among what came back; None when there is none."""
        return next((e for e in self.ack.evidence if e.path.endswith(f"/{name}")), None)

    def document(self, path: str) -> bytes | None:
        """Return what a document of the run holds; None when there is no such document."""
        found = self.documents.get(path)
        return None if found is None or self.written is None else self.written(found)

    def text(self, name: str) -> str:
        """Return what a file holds that came back; empty when there is none."""
        evidence = self.evidence(name)
        return "" if evidence is None else self.read(evidence).decode(errors="replace")


class Gate(ABC):
    """One rule, with what a node says about it."""

    name: ClassVar[str]
    doc: ClassVar[str]
    """What it asks for, in one sentence."""
    effect: ClassVar[GateEffect] = "fail"
    attributes: ClassVar[tuple[AttributeRule, ...]] = ()
    """Attributes of a node that it reads."""
    of_content: ClassVar[bool] = False
    """Whether it judges what a document says: one that does not pass is kept all the same."""

    @classmethod
    def of(cls, node: Node) -> Self:  # noqa: ARG003
        """Return the gate as a node wants it."""
        return cls()

    def applies(self, case: Case) -> bool:
        """Whether there is anything to judge: most gates need a request that was carried out."""
        return case.ack.status in CARRIED_OUT

    @abstractmethod
    def judge(self, case: Case) -> Iterator[Verdict]:
        """Yield what is wrong; nothing when the gate is passed."""

    def reason(self, verdicts: Sequence[Verdict]) -> str:
        """Return the failure reason of an attempt that did not pass."""
        return verdicts[0].reason

    def wrong(self, code: str, reason: str, subject: str = "") -> Verdict:
        """Return one thing that is wrong."""
        return Verdict(check=self.name, allowed=False, code=code, reason=reason, subject=subject)


@cache
def gates() -> dict[str, type[Gate]]:
    """Return every gate by its name; each is a class of a module in this package."""
    from importlib import import_module

    for module in module_names(__path__):
        import_module(f"{__name__}.{module}")
    return {kind.name: kind for kind in sorted(Gate.__subclasses__(), key=lambda kind: kind.name)}
