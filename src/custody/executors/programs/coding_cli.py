"""Coding agents: command-line programs that work in a folder as a developer would.

An adapter says what is its program's own (`CodingCli`); `custody.executors.programs.coding_agent`
does the rest, which is the same for all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from custody.executors.agents import Agent, AgentContext
from custody.executors.programs.own_setup import LoginFile, own_agent
from custody.executors.programs.reach import PROXIES, Reach, reached
from custody.executors.programs.reply import Reader
from custody.executors.settings import Settings, own_program
from custody.model.need import Need
from custody.model.own_settings import OwnAgent


class Surroundings(NamedTuple):
    """Where a program works."""

    cache: str
    """The folder of caches, as it sees it."""
    confined: bool
    """Whether it is confined by us, and needs no sandbox of its own."""
    own: OwnAgent = OwnAgent()
    """How far it is used as its owner has set it up."""


class CodingCli(NamedTuple):
    """What one coding agent has of its own."""

    hint: str
    """How the program is installed."""
    keys: tuple[str, ...]
    """Variables of the user's that it gets."""
    arguments: Callable[[Settings, str, Surroundings], tuple[str, ...]]
    """From settings, model and where it works to the command line."""
    variables: Callable[[Settings, str], Mapping[str, str]]
    """From settings and home to what else is set."""
    reader: Callable[[str], Reader]
    """From the model that was asked for to what reads its output."""
    reach: Reach
    own_sandbox: Callable[[Settings, bool], str] = lambda _settings, _confined: ""
    """From settings, and whether it is confined, to what it is told of a sandbox of its own."""
    changeable: Callable[[Settings], tuple[str, ...]] = Settings.own_folders
    """From settings to the folders of the workspace that it may change."""
    key_of: Callable[[Settings, Mapping[str, str]], tuple[str, ...]] = lambda *_: ()
    """From settings and environment to the variables of which one must be set; none for none."""
    own_variables: Callable[[Settings, OwnAgent], Mapping[str, str]] = lambda *_: {}
    """From settings and what its owner allows to what is set for that."""
    login: LoginFile | None = None
    """Where it keeps a login; None for nowhere."""
    blocked_by: str = ""
    """Variable that hides more paths from it, beside the one of the setting; empty for none."""

    def needs(
        self, agent: str, settings: Settings, environment: Mapping[str, str]
    ) -> Iterator[Need]:
        """Yield the program, a key where it must have one, and the servers that it asks."""
        yield Need(kind="program", names=(settings.text("executable", agent),), hint=self.hint)
        own = own_agent(agent, environment)
        if own.git:
            yield Need(kind="program", names=("git",), hint="install git")
        for server in own.mcp.values():
            hint = f"the user's configuration names it for {agent}"
            yield Need(kind="program", names=server.command[:1], hint=hint)
        if own.login and self.login is not None:
            file = self.login.find(environment)
            yield Need(kind="file", names=(file,), hint=f"log in by `{agent}`, or use a key")
        elif keys := self.key_of(settings, environment):
            yield Need(kind="variable", names=keys, hint=f"export {keys[0]}=…")
        passed = settings.passed(*self.keys, *PROXIES)
        if reach := reached(settings, passed, self.reach):
            hint = f"is it running, and named right? {agent}.reach names others"
            yield Need(kind="server", names=reach, hint=hint)

    def make(self, model: str, context: AgentContext) -> Agent:
        """Return the agent that asks it."""
        from custody.executors.programs.coding_agent import CodingAgent

        return CodingAgent(self, model, context)


def program_of(settings: Settings, name: str) -> str:
    """Return what is started: one that is named by a path of the workspace, from where it works."""
    word = settings.text("executable", name)
    if not own_program(settings):
        return word
    path = os.path.relpath(word, settings.folder("workdir") or ".")
    return path if "/" in path else f"./{path}"


def added_folders(settings: Settings) -> list[str]:
    """Return the folders of ``add_dirs``, relative to where the program works."""
    workdir = settings.folder("workdir") or "."
    return [os.path.relpath(str(folder), workdir) for folder in settings.folders("add_dirs")]
