"""Asks a chat server through OpenAI's SDK, which is imported here alone and when it is needed."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from custody.errors import UsageError
from custody.executors.chat.completions import ChatFailed
from custody.executors.chat.server import Server
from custody.executors.records import Json, text

PATH = "/chat/completions"
NO_KEY = "none"
"""Sent where there is no key: the SDK wants one, and such servers do not look at it."""
_UNAUTHORIZED = (401, 403)
_TOO_MANY = 429
_SERVERS_FAULT = 500


def require_sdk() -> None:
    """Raise `UsageError` when the SDK is not installed."""
    from importlib.util import find_spec

    if find_spec("openai") is None:
        raise UsageError(
            "this agent needs the package openai", hint="pip install 'custody-runtime[api]'"
        )


async def chunks(server: Server, body: Json) -> AsyncGenerator[Any, None]:
    """Yield the chunks of the answer as they come; raises `ChatFailed`.

    There is no time limit here: whoever listens stops listening.
    """
    from openai import AsyncOpenAI, AsyncStream

    begun = False
    try:
        async with AsyncOpenAI(
            api_key=server.key or NO_KEY,
            base_url=server.url,
            max_retries=server.retries,
            timeout=None,
        ) as client:
            stream = await client.post(
                PATH, cast_to=object, body=body, stream=True, stream_cls=AsyncStream[object]
            )
            async for chunk in stream:
                begun = True
                yield chunk
    except Exception as error:  # whatever the SDK raises, there is no answer
        message = " ".join(failure(error, begun=begun).split())
        shown = message.replace(server.key, "[key]") if server.key else message
        raise ChatFailed(shown[:500]) from error


def failure(error: Exception, *, begun: bool) -> str:
    """Return a stable word for an error, and what the server or the system said."""
    import openai

    if isinstance(error, openai.APIStatusError):
        return f"{_word(error.status_code)}: {error.status_code} {_said(error)}"
    if isinstance(error, openai.APIError) and not isinstance(error, openai.APIConnectionError):
        return f"agent_error: {_said(error)}"
    word = "agent_stream_broken" if begun else "agent_unreachable"
    cause = error.__cause__ or error
    return f"{word}: {str(cause) or type(cause).__name__}"


def _word(status: int) -> str:
    if status in _UNAUTHORIZED:
        return "agent_unauthorized"
    if status == _TOO_MANY:
        return "agent_rate_limited"
    return "agent_server_error" if status >= _SERVERS_FAULT else "agent_bad_request"


def _said(error: Any) -> str:
    body = error.body
    return (text(body, "message") if isinstance(body, dict) else "") or str(error)
