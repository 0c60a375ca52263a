"""An agent whose work is done by a session of the echo program; a plugin, as others would write it.

What the program says becomes the response, and a file of the workspace that is named by the node.
Variables change its times: ``ECHO_LEASE``, ``ECHO_LOST``.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from custody.executors import Stage
from custody.executors.agents import AgentContext, AgentType
from custody.executors.sessions import Session, SessionKind, SessionReply
from custody.model.relpath import RelPath
from custody.model.request import Ack, AgentRequest

PROGRAM = str(Path(__file__).with_name("echo.py"))


class EchoAgent:
    """Asks the echo program."""

    def __init__(self, context: AgentContext) -> None:
        self._context = context

    @property
    def _session(self) -> Session:
        kind = SessionKind(
            name="echo",
            argv=(sys.executable, "-S", PROGRAM),
            readable=(PROGRAM,),
            beat=0.05,
            lease=float(os.environ.get("ECHO_LEASE", "60")),
            lost=float(os.environ.get("ECHO_LOST", "5")),
            hung=10.0,
            grace=1.0,
        )
        return self._context.session(kind)

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        first_line = (request.prompt.text or "").partition("\n")[0]  # the rest tells of failures
        data = json.dumps({"text": first_line}).encode()
        reply = self._session.ask(request, data, stage)
        return self._ack(request, stage, reply)

    def recover(self, request: AgentRequest, stage: Stage) -> Ack | None:
        reply = self._session.recover(request, stage)
        return None if reply is None else self._ack(request, stage, reply)

    def _ack(self, request: AgentRequest, stage: Stage, reply: SessionReply) -> Ack:
        if reply.status != "ok":
            return reply.failed(request)
        text = json.loads(reply.data)["text"]
        stage.workspace.root.write(RelPath.parse(f"{stage.node}.txt"), f"{text}\n".encode())
        response = stage.folder.write("response.md", text)
        return Ack(
            request_id=request.id,
            status="ok",
            seconds=reply.seconds,
            evidence=(response, *reply.evidence),
        )


AGENT = AgentType(
    name="echo",
    doc="Says what it is asked again, in capital letters.",
    make=lambda _argument, context: EchoAgent(context),
    starts_programs=True,
)
