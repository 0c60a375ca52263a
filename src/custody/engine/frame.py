"""Where in a run the engine walks: through the run's own pipeline, or that of one item."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from custody.checks.gates import Case
from custody.handlers import handlers
from custody.handlers.each import item_names
from custody.model.event import PipelineStarted
from custody.model.graph import Attribute, AttributeValue, Node, Pipeline
from custody.model.state import State
from custody.pipeline.subpipeline import instance, item_prefix
from custody.pipeline.template import FIELD
from custody.pipeline.vocabulary import BUDGETS


class Frame:
    """One pipeline to walk through, with the names of its nodes as the journal has them."""

    def __init__(
        self,
        pipeline: Pipeline,
        values: Mapping[str, str],
        state: State,
        prefix: str = "",
        above: Frame | None = None,
    ) -> None:
        self.pipeline = pipeline
        self.values = values
        """What the names in templates stand for."""
        self._state = state
        self.scope = state.scope(pipeline.start.id)
        """What its stages share."""
        self.prefix = prefix
        """What the names of its nodes begin with; empty for the run itself."""
        self.above = above
        """The frame of the node that it is an item of."""
        self.cases: dict[str, Case] = {}
        """What is recorded of stages that a later one judges, by their names in the pipeline."""
        self.settings: Mapping[str, Attribute] = (
            pipeline.attributes if above is None else {**above.settings, **pipeline.attributes}
        )
        """What graphs say, of those around each other the innermost."""
        limit = pipeline.attributes.get("max_steps")
        self.max_steps = math.inf if limit is None else int(str(limit.value))
        """How many stages may be entered in its scope."""
        self.bounded: bool = bool(BUDGETS & pipeline.attributes.keys()) or (
            above is not None and above.bounded
        )
        """Whether it, or one that it is a part of, may spend only so much."""
        known = handlers()
        self._judged = {known[node.type].judged(node) for node in pipeline.nodes.values()}

    @classmethod
    def of_run(cls, pipeline: Pipeline, started: PipelineStarted, state: State) -> Frame:
        """Return the frame where a run begins."""
        known = {"goal": pipeline.goal, "run_id": started.decided_as}
        return cls(pipeline, {**started.variables, **known}, state)

    def of_item(self, node: Node, item: Any, index: int, count: int) -> Frame:
        """Return the frame of one item of the list that ``node`` works on.

        A value of the run comes before the default that the item's pipeline has for the name.
        """
        part = self.pipeline.parts[node.id]
        prefix = item_prefix(node.id, index)
        around = {name: text for name, text in self.values.items() if not name.startswith(FIELD)}
        values = {**part.variables, **around, **item_names(item, index, count)}
        values["goal"] = part.goal or self.values["goal"]
        return Frame(instance(part, prefix), values, self._state, prefix, self)

    def said(self, node: Node, name: str) -> AttributeValue | None:
        """Return what is said nearest to a node; None when nobody says anything."""
        attribute = node.attributes.get(name) or self.settings.get(name)
        return None if attribute is None else attribute.value

    def remember(self, node: Node, case: Case) -> None:
        """Keep what is recorded of a stage, if a later one judges it."""
        name = node.id.removeprefix(self.prefix)
        if name in self._judged:
            self.cases[name] = case

    def forget(self, node: Node) -> None:
        """Let nobody judge a stage by what it left before, now that it is attempted again."""
        self.cases.pop(node.id.removeprefix(self.prefix), None)

    @property
    def name(self) -> str:
        """What it is called where a limit is exceeded."""
        return f"item {self.prefix.rstrip('.')}" if self.prefix else "the run"

    def outwards(self) -> Iterator[Frame]:
        """Yield this frame and every one that it is a part of."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.above
