"""What came of one call of an agent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli.render.table import seconds
from custody.cli.result import Line
from custody.model.usage import dollars

if TYPE_CHECKING:
    from custody.engine.agent_trial import AgentTrial


def trial(made: AgentTrial) -> Iterator[Line]:
    """Return the page."""
    if made.waits:
        yield Line(f"agent {made.agent} asks a person, and was not answered", "warn")
        return
    if made.answered:
        yield Line(f"agent {made.agent} answered in {seconds(made.seconds)}", "good")
        yield Line(f"  said         {made.said.partition(chr(10))[0] or 'nothing'}", hang=15)
    else:
        yield Line(f"agent {made.agent} did not answer: {made.reason}", "bad", hang=2)
        yield from (Line(f"  {line}") for line in made.summary.splitlines())
    if made.usage is not None:
        used = made.usage
        yield Line(f"  model        {used.model or 'unknown'}")
        yield Line(f"  tokens       {used.input_tokens:,} in, {used.output_tokens:,} out")
        cost = "unknown" if used.cost_usd is None else dollars(used.cost_usd)
        yield Line(f"  cost         {cost}")
    yield Line(f"  confined at  {made.level or 'nothing: it starts no program'}")
