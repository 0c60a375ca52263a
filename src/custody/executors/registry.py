"""Which agents there are: the files of `custody.executors.agents`, and what others installed.

A distribution adds one by an entry point in the group ``custody.agents``: an `AgentType` of the
same name, or a callable that takes the argument and returns an `Agent`. Who calls the Python
API may hand one in as an object, which is known while the call lasts. Agents are looked up by
name, and only what is asked for is imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from custody.errors import UsageError
from custody.executors import agents
from custody.executors.agents import Agent, AgentContext, AgentType, Runner
from custody.executors.settings import Settings
from custody.model.graph import AttributeRule
from custody.model.need import Need
from custody.store.packages import module_names

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from custody.executors.sessions import Sessions

ENTRY_POINTS = "custody.agents"
DECLARED = "AGENT"
"""What the file of an agent calls its type."""
PYTHON = "python"
"""What an agent is called that was handed in as a plain object; its class stands behind a colon."""

_HANDED_IN: ContextVar[AgentType | None] = ContextVar("custody-agent", default=None)
"""The agent that the caller of the Python API has handed in. Threads of the call copy it."""


@contextmanager
def handed_in(agent: Agent | AgentType) -> Iterator[str]:
    """Make an object known as an agent while the block lasts; yield its name.

    Raises `UsageError` for an object that is no agent, and for a type whose name is taken.
    """
    kind = agent if isinstance(agent, AgentType) else _of_object(agent)
    if _packaged(kind.name) or _alias(kind.name):
        what = f"there is an agent named {kind.name!r} already"
        raise UsageError(what, hint="choose another name")
    token = _HANDED_IN.set(kind)
    try:
        yield kind.name if isinstance(agent, AgentType) else kind.spelling
    finally:
        _HANDED_IN.reset(token)


def _of_object(agent: Agent) -> AgentType:
    """Return the type of a plain object, which may do whatever it likes."""
    kind = type(agent)
    if not isinstance(agent, Agent):
        raise UsageError(
            f"{kind.__qualname__!r} is not an agent",
            hint="an agent has a method work(request, stage) that returns an Ack",
        )
    return AgentType(
        name=PYTHON,
        doc=(kind.__doc__ or "").strip().partition("\n")[0],
        argument=f"{kind.__module__}.{kind.__qualname__}",
        make=lambda _argument, _context: agent,
        starts_programs=True,
    )


def find_agent(spec: str, runner: Runner, sessions: Callable[[], Sessions]) -> Agent:
    """Return the agent that ``spec`` names; raises `UsageError` when there is none."""
    kind = check_agent(spec)
    argument = spec.partition(":")[2]
    return kind.make(argument, AgentContext(kind.prefix, runner, os.environ, sessions))


def needs_of(
    spec: str, attributes: Mapping[str, str], environment: Mapping[str, str]
) -> tuple[Need, ...]:
    """Return what an agent needs for a node with these attributes; raises `UsageError`."""
    kind = check_agent(spec)
    settings = Settings(kind.prefix, attributes, environment)
    return tuple(kind.needs(spec.partition(":")[2], settings, environment))


def check_agent(spec: str) -> AgentType:
    """Return the type of the agent that ``spec`` names; raises `UsageError` when there is none."""
    found = agent_type(spec)
    if found is None:
        name = spec.partition(":")[0]
        if name == PYTHON:
            raise UsageError(
                f"the agent {spec!r} is an object of a Python program",
                hint="that program goes on with the run: custody.resume(run, agent=…)",
            )
        raise UsageError(f"no agent named {name!r}", hint=f"one of {', '.join(known_agents())}")
    return found


def known_agents() -> list[str]:
    """Return the names of all agents that there are, none of them loaded but the packaged ones."""
    return [*(kind.name for kind in packaged_types()), *_installed()]


def agent_type(spec: str) -> AgentType | None:
    """Return the same, or None; raises `UsageError` for one that cannot be loaded."""
    name = spec.partition(":")[0]
    return _packaged(name) or _alias(name) or _of_caller(name) or _of_others(name)


@cache
def packaged_types() -> tuple[AgentType, ...]:
    """Return every packaged agent, by name."""
    return tuple(kind for kind in map(_packaged, _files()) if kind is not None)


def described() -> dict[str, str]:
    """Return how every agent is named, and what it does; of one that cannot be loaded, why not."""
    found = {kind.spelling: kind.doc for kind in packaged_types()}
    for name in _installed():
        try:
            kind = check_agent(name)
            found[kind.spelling] = kind.doc
        except UsageError as error:
            found[name] = str(error)
    return found


def packaged_prefix(word: str) -> AgentType | None:
    """Return the packaged agent whose settings begin so."""
    here = _packaged(word)
    return here if here is not None and here.prefix == word else _by_prefix().get(word)


@cache
def _by_prefix() -> Mapping[str, AgentType]:
    return {kind.prefix: kind for kind in packaged_types()}


def rules_of(word: str) -> tuple[AttributeRule, ...]:
    """Return the rules of the attributes that begin with ``word`` and a dot; none if nobody's."""
    kind = packaged_prefix(word) or _of_caller(word) or _of_others(word)
    return () if kind is None else kind.rules()


@cache
def _packaged(name: str) -> AgentType | None:
    """Return what the file of that name declares; None when there is no such file, or no type."""
    from importlib import import_module

    if name not in _files():
        return None
    declared: AgentType | None = getattr(import_module(f"{agents.__name__}.{name}"), DECLARED, None)
    return declared


@cache
def _files() -> tuple[str, ...]:
    return tuple(module_names(agents.__path__))


def _alias(name: str) -> AgentType | None:
    return next((kind for kind in packaged_types() if name in kind.aliases), None)


def _of_caller(name: str) -> AgentType | None:
    kind = _HANDED_IN.get()
    return kind if kind is not None and kind.name == name else None


def _of_others(name: str) -> AgentType | None:
    entry = _installed().get(name)
    return None if entry is None else _load(entry)


def _installed() -> Mapping[str, EntryPoint]:
    """Return what other distributions declare, by name; none of it is loaded."""
    return _entries(tuple(sys.path))


@lru_cache(1)
def _entries(_path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    """Look at every distribution of an import path: once, because it takes milliseconds."""
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        found.setdefault(entry.name, entry)
    return found


@cache
def _load(entry: EntryPoint) -> AgentType:
    """Return what an entry point declares; raises `UsageError` if it cannot be used."""
    try:
        loaded = entry.load()
    except (Exception, SystemExit) as error:  # whatever an import raises, the agent is not there
        why = f"{type(error).__name__}: {error}"
        raise UsageError(f"the agent {entry.name!r} cannot be loaded: {why}") from error
    if not isinstance(loaded, AgentType):
        return AgentType(
            name=entry.name,
            doc=(loaded.__doc__ or "").strip().partition("\n")[0],
            make=lambda argument, _context: loaded(argument),
            starts_programs=True,
        )
    if not loaded.name == loaded.prefix == entry.name:
        raise UsageError(
            f"the entry point {entry.name!r} declares the agent {loaded.name!r}",
            hint="name, prefix and entry point must be the same word",
        )
    return loaded
