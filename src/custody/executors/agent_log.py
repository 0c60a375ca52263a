"""The structured log of agents at work: one JSON object a line.

Lines go to the logger ``custody.agent``, and to the stage's folder as they are made. Standard
error gets them when ``FACTORY_LOG_CODEX_STREAM=1`` asks for the agent's streams too, or
``CUSTODY_LOG=1`` for the lines alone; a program that uses custody sets handlers as it likes.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from custody import variables
from custody.model.request import AgentRequest

if TYPE_CHECKING:
    from custody.executors import Stage

LOGGER = logging.getLogger("custody.agent")
LOGGER.addHandler(logging.NullHandler())
STREAM_VARIABLE = variables.STREAM
LOG_VARIABLE = variables.LOG


class JsonFormatter(logging.Formatter):
    """Writes a record and its fields as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields: dict[str, Any] = getattr(record, "fields", {})
        line = {
            "ts": self.formatTime(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **fields,
        }
        return json.dumps(line, ensure_ascii=False)

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: ARG002, N802
        """Return the time as everywhere else in a run, in UTC."""
        from datetime import UTC, datetime

        moment = datetime.fromtimestamp(record.created, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


FORMATTER = JsonFormatter()


class AgentLog:
    """The log of one stage's agent."""

    @classmethod
    def of(
        cls, agent: str, request: AgentRequest, stage: Stage, keep: Callable[[bytes], object]
    ) -> AgentLog:
        """Return the log of an agent that works on a request; ``keep`` takes its lines."""
        run = stage.run.run_id
        return cls(keep, run_id=run, node=stage.node, request=request.id, agent=agent)

    def __init__(self, keep: Callable[[bytes], object], **fields: Any) -> None:
        self._keep = keep
        self._fields = fields
        self.streams = os.environ.get(STREAM_VARIABLE) == "1"
        """Whether the agent's output is logged too."""
        if self.streams or os.environ.get(LOG_VARIABLE) == "1":
            _to_standard_error()

    def write(self, event: str, *, level: int = logging.INFO, **fields: Any) -> None:
        """Log what happens, and keep it."""
        record = self._record(event, level, fields)
        self._keep(f"{FORMATTER.format(record)}\n".encode(errors="replace"))
        _hand_on(record)

    def stream(self, name: str, text: str) -> None:
        """Log output of the agent; its file has it already."""
        fields = {"stream": name, "text": text}
        _hand_on(self._record("agent.output", logging.INFO, fields))

    def _record(self, event: str, level: int, fields: dict[str, Any]) -> logging.LogRecord:
        extra = {"fields": {**self._fields, **fields}}
        return LOGGER.makeRecord(LOGGER.name, level, "", 0, event, (), None, extra=extra)


def _hand_on(record: logging.LogRecord) -> None:
    if LOGGER.isEnabledFor(record.levelno):
        LOGGER.handle(record)


def _to_standard_error() -> None:
    if any(isinstance(handler, _StandardError) for handler in LOGGER.handlers):
        return
    handler = _StandardError()
    handler.setFormatter(FORMATTER)
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)


class _StandardError(logging.StreamHandler[Any]):
    """The handler that the environment asks for; there is one at most."""
