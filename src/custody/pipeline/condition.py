"""When an edge may be taken.

    condition := clause ("&&" clause)*
    clause    := key ("=" | "!=") value
    key       := "outcome" | "context." name | node ".exit_code"

A value is one word without quotes. An outcome must be one that exists. A context value is
compared by its text, ``true`` and ``false`` for booleans; ``context.KEY.field`` looks into an
object. A name that the context lacks equals nothing, so ``context.x!=a`` holds; neither does the
exit code of a node that has not run, or whose command was ended by the runtime.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from custody.errors import MalformedDocument
from custody.model.outcome import OUTCOMES
from custody.model.output import EXIT_CODE
from custody.model.record import Record
from custody.patterns import later
from custody.pipeline.messages import Nearest, shown
from custody.pipeline.template import as_text, look_up

OUTCOME = "outcome"
_CONTEXT = "context."

_CODE = f".{EXIT_CODE}"

_NAMED = r"outcome|context\.[A-Za-z0-9_][A-Za-z0-9_.-]*|[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}\.exit_code"
_CLAUSE = later(rf"\s*({_NAMED})\s*(!?=)\s*([^\s=!&|<>\"'()]+)\s*", re.ASCII)
_KEY = later(rf"\s*(?:{_NAMED})\s*(?![A-Za-z0-9_.-])", re.ASCII)
_NUMBER = later("0|[1-9][0-9]{0,2}")

ExitCode = Callable[[str], int | None]
"""Gives the exit code of a node's last command; None when there is none."""
Told = Literal["all", "failed", "nothing"]
"""What an exit code tells of how its node ended: how; no more than that it failed; nothing."""


def _nobody(_node: str) -> int | None:
    return None


class Clause(Record, frozen=True):
    """One comparison."""

    key: str
    value: str
    equal: bool
    """False for ``!=``."""

    @property
    def node(self) -> str:
        """The node whose exit code is asked for; empty when none is."""
        asks = self.key.endswith(_CODE) and not self.key.startswith(_CONTEXT)
        return self.key.removesuffix(_CODE) if asks else ""

    @property
    def only_failed(self) -> bool:
        """Whether an exit code that it holds for is one of a failure."""
        return bool(self.node) and (self.value != "0") is self.equal

    def holds(
        self, outcome: str, context: Mapping[str, Any], exit_code: ExitCode = _nobody
    ) -> bool:
        """Whether the comparison is true."""
        if self.key == OUTCOME:
            return (outcome == self.value) is self.equal
        if self.node:
            code = exit_code(self.node)
            return (code is not None and str(code) == self.value) is self.equal
        try:
            found = look_up(context, self.key.removeprefix(_CONTEXT))
        except KeyError:
            return not self.equal
        return (as_text(found) == self.value) is self.equal


class Condition(Record, frozen=True):
    """Clauses that must all be true."""

    clauses: tuple[Clause, ...]

    def holds(
        self, outcome: str, context: Mapping[str, Any], exit_code: ExitCode = _nobody
    ) -> bool:
        """Whether an edge with this condition may be taken."""
        return all(clause.holds(outcome, context, exit_code) for clause in self.clauses)

    def may_hold(self, outcome: str) -> bool:
        """Whether some context makes it true after this outcome."""
        return self.possible and all(
            clause.holds(outcome, {}) for clause in self.clauses if clause.key == OUTCOME
        )

    def on_outcome_of(self, node: str, told: Told = "all") -> bool:
        """Whether it is asked how the node ended: such an edge takes care of its failure.

        ``told`` says what the node's exit code tells of that.
        """
        return any(
            clause.key == OUTCOME
            or (
                clause.node == node and (told == "all" or (told == "failed" and clause.only_failed))
            )
            for clause in self.clauses
        )

    @property
    def possible(self) -> bool:
        """Whether any outcome and context make it true."""
        wanted: dict[str, str] = {}
        unwanted: dict[str, set[str]] = {}
        for clause in self.clauses:
            if not clause.equal:
                unwanted.setdefault(clause.key, set()).add(clause.value)
            elif wanted.setdefault(clause.key, clause.value) != clause.value:
                return False
        if any(value in unwanted.get(key, ()) for key, value in wanted.items()):
            return False
        return not unwanted.get(OUTCOME, set()).issuperset(OUTCOMES)


def parse_condition(text: str) -> Condition:
    """Read a condition; raises `MalformedDocument` with code ``condition``."""
    if "||" in text:
        raise _malformed("a condition knows no '||'", "write one edge for each alternative")
    return Condition(clauses=tuple(_clause(part) for part in text.split("&&")))


def _clause(text: str) -> Clause:
    match = _CLAUSE.fullmatch(text)
    if match is None:
        raise _why(text)
    key, operator, value = match.groups()
    if Clause(key=key, value=value, equal=True).node and not _NUMBER.fullmatch(value):
        raise _malformed(f"an exit code is a number, not {shown(value)}", "write 0 to 255")
    if key == OUTCOME and value not in OUTCOMES:
        hint = Nearest().hint(value, OUTCOMES) or f"outcomes are {', '.join(OUTCOMES)}"
        raise _malformed(f"no outcome is called {shown(value)}", hint)
    return Clause(key=key, value=value, equal=operator == "=")


def _why(text: str) -> MalformedDocument:
    clause = text.strip()
    if not clause:
        return _malformed("a clause is missing", "write key=value on both sides of '&&'")
    if "==" in clause:
        return _malformed(f"{shown(clause)} compares with '=='", "write '='")
    key = _KEY.match(clause)
    if key is None:
        return _malformed(
            f"{shown(clause)} does not begin with a key",
            "ask for 'outcome', 'context.<name>' or '<node>.exit_code'",
        )
    if clause[key.end() :].lstrip("!= \t\r\n") == "":
        return _malformed(f"{shown(clause)} has no value", "write key=value or key!=value")
    return _malformed(
        f"{shown(clause)} is no comparison", "write key=value or key!=value, the value one word"
    )


def _malformed(what: str, hint: str) -> MalformedDocument:
    return MalformedDocument("condition", what, hint=hint)
