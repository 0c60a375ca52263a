"""What the stages of one walk through a pipeline share: the run's own, or that of one item."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, MutableMapping
from typing import Any

from custody.model.output import Output
from custody.model.request import Spent


class Scope:
    """Context, failures and costs of one walk; an item sees what stood around it when it began."""

    def __init__(self, above: Scope | None = None) -> None:
        self.above = above
        """The walk that this one is a part of; None for the run itself."""
        self.own: dict[str, Any] = {}
        """What its own stages put into the context."""
        self.context: MutableMapping[str, Any] = self.own
        """What its stages see."""
        self.last_failure: dict[str, Any] = {}
        """Feedback for the next agent: ``node``, ``reason``, ``summary``; empty when cleared."""
        self.unhandled: dict[str, str] = {}
        """Failures that no edge took care of, by node."""
        self.outputs: dict[str, Output] = {}
        """What the last command of each of its stages left."""
        self.steps = 0
        """How many stages were entered, retries not counted."""
        self.spent = Spent()
        """What it has cost by now."""
        if above is not None:
            self.context = ChainMap(self.own, above.context)
            self.last_failure = above.last_failure

    def outwards(self) -> Iterator[Scope]:
        """Yield this scope and every one that it is a part of."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.above
