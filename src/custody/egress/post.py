"""Sends one body to one server that the user named, and returns what it answers."""

from __future__ import annotations

import http.client
import ssl
from urllib.parse import urlsplit

from custody.errors import FetchFailed, UsageError
from custody.version import VERSION

SECONDS = 30.0
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine."""
_OK = 200


def post(
    url: str, body: bytes, *, content_type: str, answer_type: str, limit: int, token: str = ""
) -> bytes:
    """Return the answer to a body; raises `FetchFailed`.

    Nothing is sent on: a redirect is a failure. A token is sent by TLS alone, or within this
    machine: raises `UsageError` for one that would go elsewhere. Codes are ``connect``, ``tls``,
    ``timeout``, ``protocol``, ``status``, ``content_type`` and ``too_large``.
    """
    connection, target = _connection(url)
    headers = {"Content-Type": content_type, "User-Agent": f"custody/{VERSION}"}
    if token:
        headers["Authorization"] = f"Bearer {_kept_secret(token, connection, url)}"
    try:
        connection.request("POST", target, body, headers)
        with connection.getresponse() as answer:
            data = _read(answer, answer_type, limit, url)
    except ssl.SSLError as error:
        raise FetchFailed("tls", f"no secure connection: {error.reason}", where=url) from error
    except TimeoutError:
        raise FetchFailed("timeout", f"nothing came for {SECONDS:g} s", where=url) from None
    except http.client.HTTPException:
        raise FetchFailed(
            "protocol", "it does not answer as a web server does", where=url
        ) from None
    except OSError as error:
        why = error.strerror or "it cannot be reached"
        raise FetchFailed("connect", why.lower(), where=url) from error
    finally:
        connection.close()
    return data


def _read(answer: http.client.HTTPResponse, kind: str, limit: int, url: str) -> bytes:
    if answer.status != _OK:
        raise FetchFailed("status", f"it answered {answer.status}", where=url)
    given = answer.getheader("Content-Type", "").partition(";")[0].strip().lower()
    if given != kind:
        raise FetchFailed("content_type", f"it answered with {given[:80]!r}", where=url)
    data = answer.read(limit + 1)
    if len(data) > limit:
        raise FetchFailed("too_large", f"it answers with more than {limit} bytes", where=url)
    if answer.length:
        raise FetchFailed("protocol", "its answer ends too early", where=url)
    return data


def _connection(url: str) -> tuple[http.client.HTTPConnection, str]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _no_address(url) from None
    if not host or parts.scheme not in {"http", "https"} or "@" in parts.netloc:
        raise _no_address(url)
    target = parts.path or "/"
    if parts.query:
        target += f"?{parts.query}"
    if parts.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=SECONDS, context=context), target
    return http.client.HTTPConnection(host, port, timeout=SECONDS), target


def _kept_secret(token: str, connection: http.client.HTTPConnection, url: str) -> str:
    """Return a token that nobody on the way can read."""
    if not (token.isascii() and token.isprintable()):
        raise UsageError("it cannot be sent as a token", where=url)
    if not isinstance(connection, http.client.HTTPSConnection) and connection.host not in LOOPBACK:
        raise UsageError("a token is not sent without TLS", where=url, hint="name it by https://")
    return token


def _no_address(url: str) -> UsageError:
    hint = "https://HOST/PATH, or http://, without a user"
    return UsageError(f"{url[:200]!r} is not the address of a server", hint=hint)
