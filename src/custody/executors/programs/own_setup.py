"""An agent as its owner has set it up: login, instructions, servers of tools, a git repository.

None of it is there unless the user says so in his own configuration, or by a variable
``CUSTODY_<AGENT>_LOGIN``, ``_INSTRUCTIONS`` or ``_GIT``. A node cannot: it is the repository's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from custody.errors import StorageFailed, UsageError
from custody.executors.settings import Settings
from custody.model.own_settings import McpServer, OwnAgent
from custody.model.request import Command
from custody.store.places import is_there

SHORTEST_SECRET = 12
"""Characters from which on a text of a login is taken for a secret."""
_WHO = (
    "-c",
    "user.name=custody",
    "-c",
    "user.email=custody@localhost",
    "-c",
    "commit.gpgsign=false",
)
REPOSITORY = (
    Command(argv=("git", "init", "--quiet", "--initial-branch=main")),
    Command(argv=("git", "add", "--all"), joined_by="&&"),
    Command(
        argv=("git", *_WHO, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", "Begin"),
        joined_by="&&",
    ),
)
"""What makes the repository of a stage, before the agent begins."""


class LoginFile(NamedTuple):
    """Where an agent keeps its login."""

    variable: str
    """Names the folder that it is in, where it is set."""
    folder: str
    """That folder below the user's home, else."""
    name: str
    """The file, relative to that folder."""
    place: str
    """Where the agent finds it, relative to the home that it has in a stage."""

    def find(self, environment: Mapping[str, str]) -> str:
        """Return where it is, whether it is there or not."""
        home = environment.get("HOME") or os.path.expanduser("~")
        folder = environment.get(self.variable) or os.path.join(home, self.folder)
        return os.path.join(folder, self.name)


class Login(NamedTuple):
    """A copy of a login."""

    place: str
    data: bytes

    def secrets(self) -> dict[str, str]:
        """Return what no record may hold, by a name that says so."""
        found = {text for text in _texts(self.data) if len(text) >= SHORTEST_SECRET}
        return {f"LOGIN_TOKEN_{n}": text for n, text in enumerate(sorted(found))}


def own_agent(agent: str, environment: Mapping[str, str]) -> OwnAgent:
    """Return how far the user lets an agent be used as he has set it up."""
    from custody.store.own_settings import own_settings

    found = own_settings(environment).agents.get(agent, OwnAgent())
    said = Settings(agent, {}, environment)
    return replace(
        found,
        login=said.flag("login", default=found.login),
        instructions=said.flag("instructions", default=found.instructions),
        git=said.flag("git", default=found.git),
    )


def read_login(file: LoginFile | None, agent: str, environment: Mapping[str, str]) -> Login:
    """Return a copy of the user's login; raises `UsageError` when there is none."""
    from custody.store.root import read_file

    if file is None:
        raise UsageError(f"the agent {agent} has no login that could be used")
    path = file.find(environment)
    try:
        return Login(file.place, read_file(path))
    except StorageFailed as error:
        hint = f"log in by `{agent}`, or use a key"
        raise UsageError(f"no login of {agent}: {error.what}", where=path, hint=hint) from error


def files_of(servers: Mapping[str, McpServer]) -> tuple[str, ...]:
    """Return the files and folders that the commands of servers name by absolute paths."""
    words = (word for server in servers.values() for word in server.command)
    return tuple(word for word in words if word.startswith("/") and is_there(word))


def variables_of(
    servers: Mapping[str, McpServer], environment: Mapping[str, str]
) -> dict[str, str]:
    """Return the user's variables that servers get."""
    names = {name for server in servers.values() for name in server.env}
    return {name: environment[name] for name in sorted(names) if name in environment}


def _texts(data: bytes) -> Iterator[str]:
    """Yield every text of a JSON document, however deep; of another one its lines."""
    try:
        waiting: list[Any] = [json.loads(data)]
    except (ValueError, RecursionError):
        yield from data.decode(errors="replace").split()
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            yield value
