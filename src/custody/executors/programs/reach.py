"""Which servers an agent's configuration names, each as ``host:port``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from custody.errors import UsageError
from custody.executors.settings import Settings
from custody.model.endpoint import parse_endpoint

Reach = Callable[[Settings, Mapping[str, str]], tuple[str, ...]]
"""From an agent's settings and the variables that it gets to the servers that these name."""

PROXIES = ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy")
"""Variables by which a user's way to the network is told to agents that are not confined."""
_PORTS = {"http": 80, "https": 443}


def reached(settings: Settings, variables: Mapping[str, str], reach: Reach) -> tuple[str, ...]:
    """Return what an agent may reach: its setting ``reach``, else what it names."""
    chosen = settings.items("reach", ",".join(reach(settings, variables)))
    try:
        return tuple(parse_endpoint(entry).text for entry in chosen)
    except ValueError as error:
        raise UsageError(str(error), where=f"{settings.agent}.reach") from None


def nowhere(_settings: Settings, _environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return no server: nobody knows which a program needs."""
    return ()


def servers(urls: Iterable[str]) -> tuple[str, ...]:
    """Return the server of each address, once; what is no address names none."""
    return tuple(dict.fromkeys(filter(None, map(_server, urls))))


def named(document: Any, key: str) -> Iterator[str]:
    """Yield every text whose name is ``key`` or ends so, however deep it lies."""
    waiting: list[tuple[str, Any]] = [("", document)]
    while waiting:
        name, value = waiting.pop(0)
        if isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            waiting += [("", item) for item in value]
        elif isinstance(value, str) and name.endswith(key):
            yield value


def _server(url: str) -> str:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url.strip())
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return ""
    host = parts.hostname or ""
    if not host or port is None:
        return ""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
