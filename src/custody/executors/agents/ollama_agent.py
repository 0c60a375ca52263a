"""The agent ``ollama_agent``: a model of an Ollama, asked as ``api`` asks."""

from __future__ import annotations

from collections.abc import Mapping

from custody.errors import UsageError
from custody.executors.chat.kind import chat_type
from custody.executors.chat.server import Server

OLLAMA = "http://127.0.0.1:11434/v1"
OLLAMA_PORT = 11434


def ollama_server(environment: Mapping[str, str]) -> Server:
    """Return the Ollama of this machine, or the one that ``OLLAMA_HOST`` names."""
    from urllib.parse import urlsplit

    host = environment.get("OLLAMA_HOST", "").strip().rstrip("/")
    if not host:
        return Server(OLLAMA)
    if "://" in host:
        return Server(f"{host}/v1")
    try:
        parts = urlsplit(f"//{host}")
        name, port = parts.hostname or "", parts.port or OLLAMA_PORT
    except ValueError as error:
        raise UsageError(f"{host!r}: {error}", where="OLLAMA_HOST") from None
    if name in {"", "0.0.0.0"}:  # noqa: S104 - where a server listens is where it is found
        name = "127.0.0.1"
    return Server(f"http://[{name}]:{port}/v1" if ":" in name else f"http://{name}:{port}/v1")


AGENT = chat_type(
    "ollama_agent", "Asks a model of an Ollama, by default the one on this machine.", ollama_server
)
