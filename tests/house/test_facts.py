"""No kind of fact is overlooked by anybody who deals with facts."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, get_args

import pytest

from custody.cli.render.journal import detail
from custody.cli.render.progress import Board
from custody.cli.render.stage import stage
from custody.cli.result import Line
from custody.engine.fork import is_shared
from custody.model.event import FACTS, StageStarted
from custody.model.fact import About, Fact, Level, RunStatus, TraceName, Traits
from custody.model.process_event import PipelineReplaced
from custody.model.state import State
from custody.views.attempts import Account, attempts
from custody.views.trace import trace_line
from support.facts import line_of, sample

SILENT = {"PipelineCompleted"}
"""Kinds whose name says all there is to say."""

Kinds = Iterable[type[Fact]]
Check = Callable[[Kinds], Iterator[str]]


def traits(kinds: Kinds) -> Iterator[str]:
    """Yield the kinds that do not say what they are."""
    for kind in kinds:
        said = kind.__dict__.get("traits")
        if not isinstance(said, Traits) or said.about not in get_args(About):
            yield f"{kind.__name__} has no traits of its own"


def state(kinds: Kinds) -> Iterator[str]:
    """Yield the kinds of which the fold of the state thinks otherwise than they do."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(State.apply)))
    taken = {ast.unparse(node.cls) for node in ast.walk(tree) if isinstance(node, ast.MatchClass)}
    for kind in kinds:
        if getattr(kind, "traits", None) is None:
            yield f"{kind.__name__} does not say whether it changes the state"
        elif kind.traits.changes_state != (kind.__name__ in taken):
            yield f"{kind.__name__} is not what State.apply makes of it"


def trace(kinds: Kinds) -> Iterator[str]:
    """Yield the kinds that the trace does not show as they say."""
    for kind, fact in samples(kinds):
        name = kind.traits.traced_as
        shown = trace_line(line_of(fact), fact, State())
        if (f'"record":"{name}"'.encode() in shown) != (name in get_args(TraceName)):
            yield f"{kind.__name__} is traced as {shown!r}"


def journal(kinds: Kinds) -> Iterator[str]:
    """Yield the kinds of which `custody log` says nothing."""
    for kind, fact in samples(kinds):
        if not detail(fact) and kind.__name__ not in SILENT:
            yield f"{kind.__name__} is not told"


def stages(kinds: Kinds) -> Iterator[str]:
    """Yield the kinds that `custody show RUN NODE` leaves out, although they are about it."""
    begun = sample(StageStarted, node="a")
    for kind, fact in samples(kinds):
        if kind.traits.about == "run" or kind is StageStarted:
            continue
        bare, shown = (_page(facts) for facts in ([begun], [begun, fact]))
        if bare == shown:
            yield f"{kind.__name__} is not shown"


def _page(facts: list[Any]) -> list[Line]:
    (attempt,) = attempts([(line_of(fact), fact) for fact in facts], "a")
    account = Account(shown=attempt, attempts=(attempt,), changes=(), texts={}, unreadable={})
    return list(stage(account))


def progress(kinds: Kinds) -> Iterator[str]:
    """Yield the kinds that who watches is not told of as they say."""
    for kind, fact in samples(kinds):
        told: list[Line] = []
        board = Board(ended=told.append)
        board.hear(line_of(sample(StageStarted, node="a", attempt=1)), sample(StageStarted))
        board.hear(line_of(fact), fact)
        if kind.traits.shown_live != bool(told):
            yield f"{kind.__name__}: {told}"


def fork(kinds: Kinds) -> Iterator[str]:
    """Yield the kinds that a fork does not treat as they say."""
    for kind, fact in samples(kinds):
        if kind is not PipelineReplaced and is_shared(fact) != kind.traits.shared_by_fork:
            yield f"{kind.__name__} is not for a fork what it says"


CHECKS: tuple[Check, ...] = (traits, state, trace, journal, stages, progress, fork)


def samples(kinds: Kinds) -> Iterator[tuple[type[Fact], Any]]:
    for kind in kinds:
        fields = {"node": "a"} if "node" in kind.__struct_fields__ else {}
        yield kind, sample(kind, **fields)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_no_kind_is_overlooked(check: Check) -> None:
    assert list(check(FACTS.values())) == []


class Unsaid(Fact, frozen=True):
    """A new kind that says nothing about itself."""

    node: str


class New(Fact, frozen=True):
    """A new kind that no consumer has heard of, complete in its own class."""

    traits: ClassVar[Traits] = Traits(
        about="attempt", changes_state=False, traced_as="RouteEvaluated", shown_live=True
    )
    node: str
    colour: str = "red"


class Stateful(Fact, frozen=True):
    """A new kind that the state ought to know."""

    traits: ClassVar[Traits] = Traits(
        about="stage", changes_state=True, traced_as=None, shown_live=False
    )
    node: str


@pytest.mark.parametrize("check", [traits, state], ids=lambda check: check.__name__)
def test_a_kind_without_traits_is_found(check: Check) -> None:
    assert list(check([*FACTS.values(), Unsaid]))


@pytest.mark.parametrize("check", [trace, stages, progress, fork], ids=lambda check: check.__name__)
def test_and_whoever_asks_for_them_fails(check: Check) -> None:
    with pytest.raises(AttributeError, match="traits"):
        list(check([Unsaid]))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_kind_that_says_what_it_is_needs_nothing_else(check: Check) -> None:
    assert list(check([New])) == []


def test_its_content_is_shown_without_further_ado() -> None:
    assert "red" in detail(sample(New, node="a", colour="red hot"))


def test_a_kind_that_the_state_forgot_is_found() -> None:
    assert list(state([Stateful]))
    with pytest.raises(TypeError, match="Stateful has no place in the state"):
        State().apply(sample(Stateful))


def test_traits_are_what_they_may_be() -> None:
    for kind in FACTS.values():
        assert kind.traits.level in get_args(Level)
        assert kind.traits.ends_run in {None, *get_args(RunStatus)}
