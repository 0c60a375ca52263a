"""Runs of chance: which pipeline each has, whether that changes, whether another branches off.

What is drawn for a number follows from the seed and the number alone. Kinds of parts, ways and
signals are dealt like cards, so that any few numbers in a row have all of them.
"""

from __future__ import annotations

import random
import signal
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from support.mixed.parts import KINDS, NEXT, TOKENS, Part, answer
from support.sweep import chance

T = TypeVar("T")

PARTS = 3
"""How many parts a pipeline has at least."""
WAYS = ("changed", "forked", "bounded", "forked beside", "forked and changed", "plain")
"""What a run is put through besides disturbances."""
STOPS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CHANGES = ("another prompt", "a part more", "a part less", "another name", "another order")

Chain = tuple[Part, ...]


class Mix(NamedTuple):
    """One run, with what is to happen to it."""

    number: int
    way: str
    level: str
    """How its programs are confined."""
    first: Chain
    """What the pipeline is at first."""
    last: Chain
    """What it becomes, for the run or for its fork; the same where nothing is changed."""
    graph: str
    """Attributes of the graph."""
    fork: str
    """The node at which another run branches off; empty where none does."""
    fork_answers: bool
    """Whether the fork asks an agent with other answers."""

    @property
    def run_id(self) -> str:
        """Return the name of the run."""
        return f"r{self.number}"

    @property
    def fork_id(self) -> str:
        """Return the name of the run that branches off."""
        return f"f{self.number}"

    @property
    def run_ids(self) -> tuple[str, ...]:
        """Return the names of both, or of the one that there is."""
        return (self.run_id, self.fork_id) if self.fork else (self.run_id,)

    @property
    def changes(self) -> str:
        """Return the name of the run whose pipeline changes; empty where none does."""
        if self.first == self.last:
            return ""
        return self.fork_id if self.fork else self.run_id

    def passes(self, run_id: str) -> int:
        """Return how often a request may be due in the twin of a run: a changed fork goes twice."""
        return 2 if self.fork and run_id == self.changes else 1

    @property
    def parts(self) -> dict[str, Part]:
        """Return every part by its name."""
        return {part.name: part for part in (*self.first, *self.last)}

    def letter(self, stage: str) -> str:
        """Return what a person answers to a stage."""
        return next(part.letters[stage] for part in self.parts.values() if stage in part.letters)

    def book(self, *, other: bool = False) -> dict[str, Any]:
        """Return what agents answer; ``other`` is the book of a fork that goes its own way."""
        nodes = {
            stage: answers
            for part in self.parts.values()
            for stage, answers in part.answers.items()
        }
        if other:
            nodes = {stage: answers[-1:] for stage, answers in nodes.items()}
        return {"answers": [answer("as always\n")], "nodes": nodes}


def mix(number: int, levels: Sequence[str]) -> Mix:
    """Draw the run of a number, confined at one of the levels."""
    by = chance("mix", number)
    way = dealt("ways", WAYS, number)
    count = PARTS + (by.random() < 0.5)
    kinds = [dealt("kinds", [*KINDS], number * PARTS + place) for place in range(PARTS)]
    kinds += [by.choice([*KINDS]) for _ in range(count - PARTS)]
    seeds = [by.random() for _ in kinds]
    last = tuple(_part(kind, f"p{n}", seeds[n]) for n, kind in enumerate(kinds))
    first = _before_a_change(by, last, kinds, seeds) if way.endswith("changed") else last
    once = [part.name for part in first if part.once]
    return Mix(
        number=number,
        way=way,
        level=by.choice(levels),
        first=first,
        last=last,
        graph=_budgets(by) if way == "bounded" else "",
        fork=by.choice(once or ["start"]) if way.startswith("forked") else "",
        fork_answers=by.random() < 0.5,
    )


def stops(number: int, by: random.Random) -> list[signal.Signals]:
    """Draw the signals by which a run is ended before its end, one after the other."""
    return [dealt("stops", STOPS, number), *by.choices(STOPS, k=by.randrange(3))]


def dealt(what: str, cards: Sequence[T], number: int) -> T:
    """Return one of the cards; as many numbers in a row as there are cards get all of them."""
    deal, place = divmod(number, len(cards))
    return chance("deal", what, deal).sample(cards, len(cards))[place]


def pipeline_text(chain: Chain, graph: str) -> str:
    """Return a chain as a pipeline."""
    names = [*(part.name for part in chain), "done"]
    bodies = [part.text.replace(NEXT, names[n + 1]) for n, part in enumerate(chain)]
    return "\n".join(
        [
            f'digraph mixed {{\ngraph [goal="the goal"{graph}]',
            "start [shape=Mdiamond]\ndone [shape=Msquare]",
            *bodies,
            f"start -> {names[0]}\n}}\n",
        ]
    )


def _part(kind: str, name: str, seed: float) -> Part:
    return KINDS[kind](random.Random(seed), name)


def _before_a_change(
    by: random.Random, last: Chain, kinds: Sequence[str], seeds: Sequence[float]
) -> Chain:
    """Return what a pipeline may have been before it became ``last``."""
    place = by.randrange(len(last))
    before, part, after = last[:place], last[place], last[place + 1 :]
    match by.choice(CHANGES):
        case "another prompt" if 'prompt="' in part.text:
            return (*before, part._replace(text=_other_prompt(part.text)), *after)
        case "another prompt" if part.pipelines:
            inner = {name: _other_prompt(text) for name, text in part.pipelines.items()}
            return (*before, part._replace(pipelines=inner), *after)
        case "a part more":
            return (*before, *after)
        case "another name":
            return (*before, _part(kinds[place], f"{part.name}_old", seeds[place]), *after)
        case "another order":
            return tuple(by.sample(last, len(last)))
        case _:
            return (*before, _part(by.choice([*KINDS]), "extra", by.random()), part, *after)


def _other_prompt(text: str) -> str:
    return text.replace('prompt="', 'prompt="At first: ', 1)


def _budgets(by: random.Random) -> str:
    """Return budgets, of which some are exceeded; that of time never is."""
    limits = {
        "max_tokens": f"max_tokens={by.randrange(TOKENS, 15 * TOKENS)}",
        "max_cost": f"max_cost={by.uniform(0.01, 0.15):.3f}",
    }
    chosen = by.sample([*limits], by.randint(1, 2))
    return "".join(f", {text}" for text in ("max_seconds=500s", *map(limits.__getitem__, chosen)))
