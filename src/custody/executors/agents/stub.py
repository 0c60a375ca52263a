"""An agent that answers at once and changes nothing: for trying a pipeline's shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from custody.executors.agents import AgentType
from custody.model import layout
from custody.model.request import Ack, AgentRequest

if TYPE_CHECKING:
    from custody.executors import Stage

RESPONSE = "This stage was not worked on: the stub agent only acknowledges.\n"


class StubAgent:
    """Acknowledges every request."""

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Write the same response for every prompt."""
        response = stage.folder.write(layout.RESPONSE, RESPONSE)
        return Ack(request_id=request.id, status="ok", notes="stub", evidence=(response,))


AGENT = AgentType(
    name="stub",
    doc="Answers at once and changes nothing: for trying a pipeline's shape.",
    make=lambda _argument, _context: StubAgent(),
    starts_programs=False,
    parallel=True,
    waits=False,
)
