"""Agents: who is asked when a stage needs judgement.

An agent is one file of this package, which says what it is by an `AgentType` called ``AGENT``.
It is named by a word, with an argument after a colon where it takes one: ``stub``,
``fake:answers.json``, ``codex:MODEL``. `custody.executors.registry` finds it, and those of others.

A file is read to learn what its agent is, and often for that alone. So it imports at its top what
is loaded anyway, and the rest where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

import msgspec
from msgspec.structs import replace

from custody.executors.programs.settings import PROGRAM_SETTINGS
from custody.executors.settings import Settings
from custody.model.evidence import Evidence
from custody.model.graph import AttributeRule
from custody.model.need import Need
from custody.model.request import Ack, AgentRequest

if TYPE_CHECKING:
    from custody.executors import Stage
    from custody.executors.commands import CommandRunner
    from custody.executors.programs.program import ProgramRunner
    from custody.executors.sessions import Session, Sessions
    from custody.model.session import SessionKind


@runtime_checkable
class Agent(Protocol):
    """Works on a prompt, in a workspace."""

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Do the work and say what came of it."""
        ...


@runtime_checkable
class RecoveringAgent(Protocol):
    """An agent whose work goes on, or is kept, when the runtime is killed."""

    def recover(self, request: AgentRequest, stage: Stage) -> Ack | None:
        """Return what has come of a request that was begun before; None to work on it anew."""
        ...


Needs = Callable[[str, Settings, Mapping[str, str]], Iterable[Need]]
"""From an agent's argument, its settings and the environment to what must be there."""


def nothing_needed(
    _argument: str, _settings: Settings, _environment: Mapping[str, str]
) -> tuple[Need, ...]:
    """Say that there is nothing to look for."""
    return ()


Runner = Callable[[], "CommandRunner"]
"""Gives what starts programs, made when it is first needed."""


class AgentContext(msgspec.Struct, frozen=True):
    """What an agent is given when it is made."""

    program_settings: ClassVar[tuple[AttributeRule, ...]] = PROGRAM_SETTINGS
    """The settings that `run` looks at, for the type of an agent that uses it."""
    name: str
    """The word that its settings and its files of evidence begin with."""
    runner: Runner
    """Gives what runs command lines; `run` needs it, and agents that follow a program closely."""
    environment: Mapping[str, str]
    """The variables of this process."""
    sessions: Callable[[], Sessions]
    """Gives the sessions of the run; `session` needs it."""

    def settings(self, request: AgentRequest) -> Settings:
        """Return the agent's settings for one request."""
        return Settings(self.name, request.settings, self.environment)

    def programs(self) -> ProgramRunner:
        """Return what starts an agent's programs, confined as the run is."""
        from custody.executors.programs.program import ProgramRunner

        return ProgramRunner(self.runner())

    def session(self, kind: SessionKind) -> Session:
        """Return the session of a kind: a program that stays between the requests of a run."""
        return self.sessions().get(kind)

    def run(self, argv: Sequence[str], request: AgentRequest, stage: Stage) -> Ack:
        """Run a program in the workspace, confined as the run is; return how it ended.

        The prompt is its standard input, and what it prints is the response. It gets the time,
        the variables and the servers that `program_settings` name. Raises `UsageError` for one of
        them that cannot be meant.
        """
        from custody.executors.programs.program import plain_program
        from custody.executors.programs.reply import TextReader

        program = plain_program(argv, request, self)
        return self.programs().work(program, request, stage, TextReader())


class AgentType(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent is called, takes, starts and waits for: all that others know of it."""

    name: str
    """The word that names it; a packaged one's file is called so."""
    doc: str
    """What it does, in a sentence."""
    make: Callable[[str, AgentContext], Agent]
    """From the argument, empty where none is given, to the agent."""
    starts_programs: bool
    """Whether it may start one, so that a run that asks it needs a level of confinement."""
    parallel: bool = False
    """Whether it may be asked for several documents at the same time, from several threads."""
    waits: bool = True
    """Whether one that is ``parallel`` may wait for somebody: then it is asked in a thread of its
    own, and is not waited for when the run is interrupted."""
    argument: str = ""
    """What may stand behind the colon, as help shows it; empty where nothing may."""
    settings: tuple[AttributeRule, ...] = ()
    """The node attributes that it reads, without prefix and dot."""
    needs: Needs = nothing_needed
    """Says what must be there before it is asked: looked for before a run begins, and what of it is
    of this machine again before each attempt. It may raise `UsageError` for a setting."""
    prefix: str = ""
    """What its attributes begin with; its name where it does not say."""
    aliases: tuple[str, ...] = ()
    """Further names of a packaged one."""

    def __post_init__(self) -> None:
        if not self.prefix:
            msgspec.structs.force_setattr(self, "prefix", self.name)

    @property
    def spelling(self) -> str:
        """Return how it is named, with its argument."""
        return f"{self.name}:{self.argument}" if self.argument else self.name

    def rules(self) -> tuple[AttributeRule, ...]:
        """Return the rules of its attributes, named as nodes write them."""
        return tuple(
            msgspec.structs.replace(rule, name=f"{self.prefix}.{rule.name}")
            for rule in self.settings
        )


class AgentExecutor:
    """Hands each agent request to the agent it names, made once."""

    def __init__(self, runner: Runner, sessions: Callable[[], Sessions]) -> None:
        self._runner = runner
        self._sessions = sessions
        self._agents: dict[str, Agent] = {}

    def execute(self, request: AgentRequest, stage: Stage) -> Ack:
        """Ask the agent; raises `MalformedDocument` for an answer that is none."""
        from custody.executors.ack_check import checked
        from custody.executors.readiness import not_there

        briefs = _write_briefs(request, stage)
        ack = not_there(request)
        if ack is None:
            ack = checked(self._agent(request.agent).work(request, stage), request, stage)
        return replace(ack, evidence=(*ack.evidence, *briefs)) if briefs else ack

    def recover(self, request: AgentRequest, stage: Stage) -> Ack | None:
        """Ask the agent what has come of a request in doubt; None to ask it anew."""
        from custody.executors.ack_check import checked

        agent = self._agent(request.agent)
        found = agent.recover(request, stage) if isinstance(agent, RecoveringAgent) else None
        return None if found is None else checked(found, request, stage)

    def _agent(self, spec: str) -> Agent:
        agent = self._agents.get(spec)
        if agent is None:
            from custody.executors.registry import find_agent

            agent = self._agents[spec] = find_agent(spec, self._runner, self._sessions)
        return agent


def _write_briefs(request: AgentRequest, stage: Stage) -> tuple[Evidence, ...]:
    """Write the documents that an agent is given beside its prompt."""
    if request.briefs is msgspec.UNSET:
        return ()
    from custody.executors.document import write_document

    return tuple(
        write_document(stage.run, brief.path, (brief.text or "").encode())
        for brief in request.briefs
    )
