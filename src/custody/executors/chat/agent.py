"""Asking a model behind OpenAI's Chat Completions.

The runtime itself asks, so nothing is started and nothing runs in the workspace: what the model
says is the response, and its edits (`custody.executors.edits`) change the files. Settings
are node attributes ``<agent>.<name>``, else ``CUSTODY_<AGENT>_<NAME>``, else defaults.

    <agent>.request.json   what was sent, and where; never the key
    <agent>.stdout.log     the answer, as it arrived
    <agent>.log.jsonl      start, heartbeats, and how it ended
    response.md            the answer
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Coroutine
from typing import Any

from custody.executors import Stage
from custody.executors.agent_log import AgentLog
from custody.executors.agents import AgentContext
from custody.executors.chat.client import PATH, chunks, require_sdk
from custody.executors.chat.completions import ChatReader, request_body
from custody.executors.chat.listening import Heard, Listening
from custody.executors.chat.server import Server, ServerLookup, server_of
from custody.executors.edits import apply_response
from custody.executors.programs.program import late_hint, limits_of, told
from custody.executors.records import Json
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.request import Ack, AgentRequest, Usage
from custody.supervise.supervisor import Limits


class ChatAgent:
    """Asks a model."""

    def __init__(self, place: ServerLookup, model: str, context: AgentContext) -> None:
        require_sdk()
        self._name = context.name
        self._place = place
        self._model = model
        self._context = context

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Ask, and carry out what the answer asks for."""
        settings = self._context.settings(request)
        model = settings.text("model", self._model)
        environment = self._context.environment
        body = request_body(settings, model, request.prompt.text or "")
        server = server_of(settings, self._place(environment), environment)
        shown = {"url": f"{_plain(server.url)}{PATH}", "key_env": server.key_env, "body": body}
        asked = stage.folder.write(layout.exchange(self._name), _pretty(shown))
        began = time.monotonic()
        limits = limits_of(settings, request)
        heard, evidence = self._ask(server, body, limits, request, stage)
        said = heard.text if heard.text.endswith("\n") or not heard.text else f"{heard.text}\n"
        response = stage.folder.write(layout.RESPONSE, said)
        ack = Ack(
            request_id=request.id,
            status="timeout" if heard.late else "failed" if heard.fault else "ok",
            seconds=round(time.monotonic() - began, 3),
            failure_reason=heard.late or heard.fault,
            failure_summary=_summary(heard, self._name, limits),
            evidence=(response, asked, *evidence),
            usage=heard.usage,
            redacted=heard.redacted,
        )
        if ack.status != "ok" or request.output_path:
            return ack
        return apply_response(ack, said, stage)

    def _ask(
        self, server: Server, body: Json, limits: Limits, request: AgentRequest, stage: Stage
    ) -> tuple[Heard, tuple[Evidence, ...]]:
        names = layout.streams(self._name)[0], layout.agent_log(self._name)
        with stage.folder.open_stream(names[0]) as out, stage.folder.open_stream(names[1]) as lines:
            log = AgentLog.of(self._name, request, stage, lines.write)
            log.write("agent.start", server=_plain(server.url), limits=told(limits))
            listening = Listening(ChatReader(body["model"]), out, log, limits, server.key)
            began = time.monotonic()
            heard = _wait_for(listening.to(chunks(server, body)))
            _log_end(log, heard, time.monotonic() - began)
        return heard, (stage.folder.seal(names[0]), stage.folder.seal(names[1]))


def _summary(heard: Heard, agent: str, limits: Limits) -> str:
    if not heard.fault and not heard.late:
        return ""
    return f"the agent failed: {heard.fault or heard.late}{late_hint(agent, heard.late, limits)}"


def _wait_for(answer: Coroutine[Any, Any, Heard]) -> Heard:
    """Return what comes of it; in a thread of its own where this one has a loop already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(answer)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, answer).result()


def _plain(url: str) -> str:
    """Return an address without a user's name and password."""
    scheme, mark, rest = url.rpartition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"


def _pretty(value: object) -> str:
    return f"{json.dumps(value, indent=2, ensure_ascii=False)}\n"


def _log_end(log: AgentLog, heard: Heard, seconds: float) -> None:
    fields: dict[str, Any] = {"seconds": round(seconds, 3)}
    if heard.late:
        log.write("agent.timeout", level=logging.WARNING, reason=heard.late, **fields)
    elif heard.fault:
        log.write("agent.failure", level=logging.WARNING, reason=heard.fault, **fields)
    else:
        used = heard.usage or Usage()
        tokens = {"input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
        log.write("agent.completion", model=used.model, **fields, **tokens)
