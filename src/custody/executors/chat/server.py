"""Which server is asked, and with which key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from custody.errors import UsageError
from custody.executors.settings import Settings

RETRIES = 2


class Server(NamedTuple):
    """Where a model is asked, and with which key."""

    url: str
    key_env: str = ""
    """The variable that holds the key."""
    key: str = ""
    retries: int = RETRIES
    """How often the SDK asks again when the server is busy or not there."""


ServerLookup = Callable[[Mapping[str, str]], Server]
"""From the environment to the server that is asked when no setting names one."""


def server_of(settings: Settings, default: Server, environment: Mapping[str, str]) -> Server:
    """Return the server that is asked; raises `UsageError` when its key is missing.

    A server that a setting names gets no key unless a setting names its variable.
    """
    url = settings.text("base_url")
    named = settings.text("key_env")
    key_env = named or ("" if url else default.key_env)
    key = environment.get(key_env, "") if key_env else ""
    if named and not key:
        raise UsageError(f"the variable {named} is not set", where=f"{settings.agent}.key_env")
    retries = settings.whole("retries")
    return Server(
        url=(url or default.url).rstrip("/"),
        key_env=key_env,
        key=key,
        retries=RETRIES if retries is None else max(0, retries),
    )
