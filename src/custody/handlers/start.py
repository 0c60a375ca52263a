"""``start``: where a run begins."""

from __future__ import annotations

from custody.handlers import Handler
from custody.model.graph import NodeType


class StartHandler(Handler):
    """Asks nothing and always succeeds."""

    type = NodeType(name="start", shape="Mdiamond", doc="Where the run begins.", side_by_side=True)
