"""Agents that are programs: how each of them is started, followed and judged.

An agent says what to start (`AgentProgram`) and how to read what it prints (`Reader`); the rest is
the same for all. The prompt is the program's standard input, its environment is built and not
inherited, and both streams are files of the stage's folder from their first byte on:

    <agent>.args.txt     the command line
    <agent>.stdout.log   <agent>.stderr.log
    <agent>.log.jsonl    start, heartbeats, and how it ended
    response.md          what the agent said last
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from custody.executors import Stage
from custody.executors.agent_log import AgentLog
from custody.executors.agents import AgentContext
from custody.executors.commands import CommandRunner, Ran
from custody.executors.programs.reach import nowhere, reached
from custody.executors.programs.read_scope import ReadScope, read_scope
from custody.executors.programs.reply import LINE_LIMIT, Reader, Reply
from custody.executors.settings import Settings
from custody.model import layout
from custody.model.confinement import Confined, read_network
from custody.model.evidence import Evidence
from custody.model.request import (
    Ack,
    AgentRequest,
    Command,
    CommandLine,
    Usage,
    stage_limits,
)
from custody.sandbox.confinement import GivenFile
from custody.sandbox.stage import Access
from custody.supervise.supervisor import Limits, Listener, StreamName

HEARTBEAT = 30.0
INACTIVITY = 900.0
OUTPUT_LIMIT = 64 << 20


class AgentProgram(NamedTuple):
    """What is to be started."""

    name: str
    """The agent; its files of evidence begin with it."""
    argv: tuple[str, ...]
    limits: Limits
    variables: Mapping[str, str]
    """Beyond those that every program of a stage gets."""
    workdir: str = ""
    """Relative to the workspace."""
    hint: str = ""
    """What to do when the program is not there."""
    home: str = ""
    """Folder of this machine, outside the workspace, that is its own; empty for none."""
    reach: tuple[str, ...] = ()
    """``host:port`` of each server that its configuration names."""
    sees: ReadScope = ReadScope()
    changeable: tuple[str, ...] = ("",)
    """Folders of the workspace that it may change, relative to it."""
    own_sandbox: str = ""
    """What it is told about a sandbox of its own."""
    own: tuple[str, ...] = ()
    """What of its owner's set-up it gets, each in a word; its log tells it."""
    before: tuple[Command, ...] = ()
    """What is run before it, in the same place; if it fails, the program is not started."""
    readable: tuple[str, ...] = ()
    """Further files and folders of this machine that it may read."""
    given: tuple[GivenFile, ...] = ()
    """Files that it finds in its home, at L3."""
    secrets: tuple[tuple[str, str], ...] = ()
    """What no record may hold, each with a name."""

    def access(self, request: AgentRequest) -> Access:
        """Return what it may reach; what the node says of the network comes first."""
        network, reach = read_network(request.network or self.reach)
        return Access(
            network=network,
            reach=reach,
            hidden=self.sees.hidden,
            scope=self.sees.scope,
            shown_secrets=self.sees.shown_secrets,
            changeable=() if request.output_path else self.changeable,
            writable=tuple(filter(None, [self.home])),
            own_sandbox=self.own_sandbox,
            readable=self.readable,
            given=self.given,
            secrets=self.secrets,
            repository=bool(self.before),
            limits=stage_limits(request),
        )


def plain_program(
    argv: Sequence[str], request: AgentRequest, context: AgentContext
) -> AgentProgram:
    """Return a program of which nothing is known but its settings.

    Raises `UsageError` for a setting that cannot be meant.
    """
    settings = context.settings(request)
    passed = settings.passed()
    return AgentProgram(
        name=context.name,
        argv=tuple(argv),
        limits=limits_of(settings, request),
        variables=passed,
        reach=reached(settings, passed, nowhere),
        sees=read_scope(settings),
    )


class Finished(NamedTuple):
    """What came of it."""

    ran: Ran
    reply: Reply
    evidence: tuple[Evidence, ...]


class ProgramRunner:
    """Starts agents' programs through a `CommandRunner`."""

    def __init__(self, runner: CommandRunner) -> None:
        self._runner = runner

    def run(
        self, program: AgentProgram, request: AgentRequest, stage: Stage, reader: Reader
    ) -> Finished:
        """Run the program to its end; whatever became of it is in the result."""
        line = _command_line(program)
        stage.folder.show(request.prompt)
        arguments = stage.folder.write(layout.arguments(program.name), f"{line.text}\n")
        stage.folder.show(arguments)
        log_name = layout.agent_log(program.name)
        with stage.folder.open_stream(log_name) as file:
            log = AgentLog.of(program.name, request, stage, file.write)
            following = _Following(log, reader)
            own: dict[str, Any] = {"own": program.own} if program.own else {}
            log.write("agent.start", program=program.argv[0], limits=told(program.limits), **own)
            try:
                ran = self._runner.follow(
                    line,
                    stage,
                    program.access(request),
                    name=program.name,
                    limits=program.limits,
                    variables=program.variables,
                    stdin=f"{stage.run.path}/{request.prompt.path}",
                    listener=following,
                )
            except KeyboardInterrupt:
                stage.use(reader.reply().usage or Usage())
                raise
            following.end()
            reply = reader.reply()
            _log_end(log, ran, reply)
        said = reply.text if not reply.text or reply.text.endswith("\n") else f"{reply.text}\n"
        response = stage.folder.write(layout.RESPONSE, said)
        logged = stage.folder.seal(log_name)
        return Finished(ran, reply, (response, arguments, ran.stdout, ran.stderr, logged))

    def work(
        self, program: AgentProgram, request: AgentRequest, stage: Stage, reader: Reader
    ) -> Ack:
        """Run the program and judge how it ended."""
        finished = self.run(program, request, stage, reader)
        return ack_of(finished, program, request, stage.sandbox.confined)


def ack_of(
    finished: Finished, program: AgentProgram, request: AgentRequest, confined: Confined | None
) -> Ack:
    """Return what is told of a program's end."""
    result, reply = finished.ran.result, finished.reply
    reason = failure_reason(finished)
    late = result.ended_by in {"timeout", "inactivity"}
    hint = f"\n{program.hint}" if result.failure.startswith("tool_not_found") else ""
    hint += late_hint(program.name, result.ended_by, program.limits)
    hint += "" if result.failure else unreached_hint(confined)
    return Ack(
        request_id=request.id,
        status="timeout" if late else "failed" if reason else "ok",
        seconds=result.seconds,
        exit_code=result.exit_code,
        failure_reason=reason,
        failure_summary=f"{_summary(finished)}{hint}" if reason else "",
        notes=reply.notes,
        evidence=finished.evidence,
        usage=reply.usage,
        redacted=result.redacted,
    )


def failure_reason(finished: Finished) -> str:
    """Return one stable word or two, and the agent's own where it gave a reason."""
    result = finished.ran.result
    reason = result.failure_reason
    if reason.startswith("tool_"):
        reason = f"agent_{reason.removeprefix('tool_')}"
    said = finished.reply.error
    if not said or result.ended_by or result.failure:
        return reason
    return f"{reason or 'agent_error'}: {said}"[:500]


def limits_of(settings: Settings, request: AgentRequest) -> Limits:
    """Return the limits that an agent's settings give to one request."""
    return Limits(
        timeout=settings.timeout(request.timeout),
        quiet=settings.seconds("inactivity", INACTIVITY),
        heartbeat=settings.seconds("heartbeat", HEARTBEAT),
        output=OUTPUT_LIMIT,
    )


def unreached_hint(confined: Confined | None) -> str:
    """Return which servers a program did not come to; empty where it came to one of them."""
    if confined is None or not confined.reach or confined.reached:
        return ""
    return f"\nit reached none of its servers: {', '.join(confined.reach)}"


def late_hint(agent: str, ended_by: str, limits: Limits) -> str:
    """Return which limit ended an agent, and the setting that moves it; empty for none."""
    if ended_by == "inactivity":
        what = f"{limits.quiet:g}s without output, processor time or traffic"
        return _moved_by(what, agent, ended_by)
    if ended_by == "timeout":
        return _moved_by(f"{limits.timeout:g}s in all", agent, ended_by)
    return ""


def _moved_by(what: str, agent: str, name: str) -> str:
    variable = f"CUSTODY_{agent}_{name}".upper()
    return f"\nits limit is {what}\nset {agent}.{name} on the node, or {variable}"


class _Following(Listener):
    """Logs heartbeats and cuts standard output into lines for the reader."""

    def __init__(self, log: AgentLog, reader: Reader) -> None:
        self._log = log
        self._reader = reader
        self._rest = b""
        self._bytes = 0

    def heard(self, stream: StreamName, data: bytes) -> None:
        self._bytes += len(data)
        if self._log.streams:
            self._log.stream(stream, data.decode(errors="replace"))
        if stream == "stdout":
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                self._reader.line(line)
            self._rest = self._rest[: LINE_LIMIT + 1]

    def beat(self, seconds: float) -> None:
        self._log.write("agent.heartbeat", seconds=round(seconds, 3), output_bytes=self._bytes)

    def end(self) -> None:
        """Hand over a last line that has no end."""
        if self._rest:
            self._reader.line(self._rest)


def _command_line(program: AgentProgram) -> CommandLine:
    import shlex

    command = Command(
        argv=program.argv, workdir=program.workdir, joined_by="&&" if program.before else ""
    )
    return CommandLine(text=shlex.join(program.argv), commands=(*program.before, command))


def told(limits: Limits) -> dict[str, float | None]:
    """Return the limits as JSON can say them: one that is off is null."""
    seconds = {
        "timeout": limits.timeout,
        "inactivity": limits.quiet,
        "heartbeat": limits.heartbeat,
    }
    return {name: None if value == math.inf else value for name, value in seconds.items()}


def _log_end(log: AgentLog, ran: Ran, reply: Reply) -> None:
    result = ran.result
    fields: dict[str, Any] = {"seconds": result.seconds, "exit_code": result.exit_code}
    if result.ended_by in {"timeout", "inactivity"}:
        log.write("agent.timeout", level=logging.WARNING, reason=result.ended_by, **fields)
    elif result.succeeded and not reply.error:
        used = reply.usage or Usage()
        tokens = {"input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
        log.write("agent.completion", **fields, **tokens)
    else:
        reason = reply.error or result.failure_reason
        log.write("agent.failure", level=logging.WARNING, reason=reason, **fields)


def _summary(finished: Finished) -> str:
    from custody.supervise.streams import failure_summary

    ran = finished.ran
    headline = f"the agent failed: {failure_reason(finished)}"
    return failure_summary(headline, stderr=ran.result.stderr.tail)
