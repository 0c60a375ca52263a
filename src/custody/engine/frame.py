"""Where in a run the engine walks: through the run's own pipeline, or that of one item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from custody.handlers.each import item_names
from custody.model.event import PipelineStarted
from custody.model.graph import Node, Pipeline
from custody.pipeline.subpipeline import instance, item_prefix
from custody.pipeline.template import FIELD


class Frame(NamedTuple):
    """One pipeline to walk through, with the names of its nodes as the journal has them."""

    pipeline: Pipeline
    values: Mapping[str, str]
    """What the names in templates stand for."""
    prefix: str = ""
    """What the names of its nodes begin with; empty for the run itself."""
    above: Frame | None = None
    """The frame of the node that it is an item of."""

    @classmethod
    def of_run(cls, pipeline: Pipeline, started: PipelineStarted) -> Frame:
        """Return the frame where a run begins."""
        known = {"goal": pipeline.goal, "run_id": started.decided_as}
        return cls(pipeline, {**started.variables, **known})

    def of_item(self, node: Node, item: Any, index: int, count: int) -> Frame:
        """Return the frame of one item of the list that ``node`` works on.

        A value of the run comes before the default that the item's pipeline has for the name.
        """
        part = self.pipeline.parts[node.id]
        prefix = item_prefix(node.id, index)
        around = {name: text for name, text in self.values.items() if not name.startswith(FIELD)}
        values = {**part.variables, **around, **item_names(item, index, count)}
        values["goal"] = part.goal or self.values["goal"]
        return Frame(instance(part, prefix), values, prefix, self)

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
