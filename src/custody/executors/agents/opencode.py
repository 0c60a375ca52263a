"""The agent ``opencode``: ``opencode run --format json``.

Settings are node attributes ``opencode.<name>``, else ``CUSTODY_OPENCODE_<NAME>``. Its
configuration is the setting ``config``, a JSON text; nothing of the user's own is read, because
its home and all its folders are made for the stage and removed after it.
"""

from __future__ import annotations

import os

from custody.executors import Stage
from custody.executors.agents.program import (
    PROXIES,
    Program,
    ProgramRunner,
    Reply,
    home_variables,
    limits_of,
    own_home,
)
from custody.executors.agents.records import count, number, part, record_of, text
from custody.executors.agents.settings import Settings
from custody.model.request import Ack, AgentRequest, Usage

NAME = "opencode"
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
FIXED = ("run", "--format", "json", "--auto", "--pure")
"""``--auto`` answers what nobody is there to answer, ``--pure`` leaves plugins out."""
DEFAULT_CONFIG = '{"autoupdate": false, "share": "disabled"}'
HINT = "install it with `npm install -g opencode-ai`, or set opencode.executable"


class OpencodeAgent:
    """Asks opencode."""

    def __init__(self, programs: ProgramRunner, model: str = "") -> None:
        self._programs = programs
        self._model = model

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Let opencode work on the prompt in the workspace."""
        settings = Settings(NAME, request.settings, os.environ)
        model = settings.text("model", self._model)
        words = (settings.text("executable", "opencode"), *FIXED)
        with own_home(stage, NAME) as home:
            program = Program(
                name=NAME,
                argv=(*words, "--model", model) if model else words,
                limits=limits_of(settings, request),
                variables={
                    **settings.passed(*KEYS, *PROXIES),
                    **_folders(home),
                    "OPENCODE_CONFIG_CONTENT": settings.text("config", DEFAULT_CONFIG),
                    "OPENCODE_DISABLE_AUTOUPDATE": "1",
                    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
                },
                workdir=settings.folder("workdir"),
                hint=HINT,
            )
            return self._programs.work(program, request, stage, OpencodeReader(model))


def _folders(home: str) -> dict[str, str]:
    kinds = ("CACHE", "CONFIG", "DATA", "STATE")
    own = {f"XDG_{kind}_HOME": f"{home}/{kind.lower()}" for kind in kinds}
    return {**home_variables(home, os.environ), **own}


class OpencodeReader:
    """Reads the events of ``opencode run --format json``."""

    def __init__(self, model: str = "") -> None:
        self._model = model
        self._said = ""
        self._error = ""
        self._finished = False
        self._input = 0
        self._output = 0
        self._cost = 0.0

    def line(self, data: bytes) -> None:
        """Take one event."""
        record = record_of(data)
        if record is None:
            return
        body = part(record, "part")
        match record.get("type"):
            case "text":
                self._said = text(body, "text")
            case "step_finish":
                tokens = part(body, "tokens")
                self._finished = text(body, "reason") != "tool-calls"
                self._input += count(tokens, "input")
                self._input += count(part(tokens, "cache"), "read", "write")
                self._output += count(tokens, "output", "reasoning")
                self._cost += number(body, "cost")
            case "error":
                error = part(record, "error")
                self._error = text(part(error, "data"), "message") or text(error, "name") or "error"
            case _:
                return

    def reply(self) -> Reply:
        """Return the last text and what all steps cost."""
        error = self._error or ("" if self._finished else "the work was not finished")
        return Reply(
            text=self._said,
            usage=Usage(
                model=self._model,
                input_tokens=self._input,
                output_tokens=self._output,
                cost_usd=round(self._cost, 6),
            ),
            error=error,
        )
