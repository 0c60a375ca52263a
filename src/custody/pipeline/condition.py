"""When an edge may be taken.

    condition := clause ("&&" clause)*
    clause    := key ("=" | "!=") value
    key       := "outcome" | "context." name

A value is one word without quotes. An outcome must be one that exists. A context value is
compared by its text, ``true`` and ``false`` for booleans; ``context.KEY.field`` looks into an
object. A name that the context lacks equals nothing, so ``context.x!=a`` holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from custody.errors import MalformedDocument
from custody.model.outcome import OUTCOMES
from custody.model.record import Record
from custody.patterns import later
from custody.pipeline.messages import Nearest, shown
from custody.pipeline.template import as_text, look_up

OUTCOME = "outcome"
_CONTEXT = "context."

_CLAUSE = later(
    r"\s*(outcome|context\.[A-Za-z0-9_][A-Za-z0-9_.-]*)\s*(!?=)\s*([^\s=!&|<>\"'()]+)\s*", re.ASCII
)
_KEY = later(r"\s*(?:outcome|context\.[A-Za-z0-9_][A-Za-z0-9_.-]*)\s*(?![A-Za-z0-9_.-])", re.ASCII)


class Clause(Record, frozen=True):
    """One comparison."""

    key: str
    value: str
    equal: bool
    """False for ``!=``."""

    def holds(self, outcome: str, context: Mapping[str, Any]) -> bool:
        """Whether the comparison is true."""
        if self.key == OUTCOME:
            return (outcome == self.value) is self.equal
        try:
            found = look_up(context, self.key.removeprefix(_CONTEXT))
        except KeyError:
            return not self.equal
        return (as_text(found) == self.value) is self.equal


class Condition(Record, frozen=True):
    """Clauses that must all be true."""

    clauses: tuple[Clause, ...]

    def holds(self, outcome: str, context: Mapping[str, Any]) -> bool:
        """Whether an edge with this condition may be taken."""
        return all(clause.holds(outcome, context) for clause in self.clauses)

    def may_hold(self, outcome: str) -> bool:
        """Whether some context makes it true after this outcome."""
        return self.possible and all(
            clause.holds(outcome, {}) for clause in self.clauses if clause.key == OUTCOME
        )

    @property
    def on_outcome(self) -> bool:
        """Whether the outcome is asked for: such an edge takes care of a failure."""
        return any(clause.key == OUTCOME for clause in self.clauses)

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
            f"{shown(clause)} does not begin with a key", "ask for 'outcome' or 'context.<name>'"
        )
    if clause[key.end() :].lstrip("!= \t\r\n") == "":
        return _malformed(f"{shown(clause)} has no value", "write key=value or key!=value")
    return _malformed(
        f"{shown(clause)} is no comparison", "write key=value or key!=value, the value one word"
    )


def _malformed(what: str, hint: str) -> MalformedDocument:
    return MalformedDocument("condition", what, hint=hint)
