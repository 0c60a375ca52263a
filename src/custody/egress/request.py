"""What a program asks of a proxy, read from bytes that nobody has checked.

Only two forms are known: ``CONNECT host:port``, and a request whose target is a whole
``http://`` address. The second is rewritten for the server it names and sent over a connection
to that server alone, so whatever follows it can reach no other one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from custody.model.endpoint import Endpoint, parse_endpoint

END = b"\r\n\r\n"
HEAD_LIMIT = 64 * 1024
"""Bytes of a request's first line and headers."""

_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\x21-\x7e]+) (HTTP/1\.[01])")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t\x20-\x7e\x80-\xff]*")
_TARGET = re.compile(rb"http://([^/?#]*)([/?].*)?", re.IGNORECASE)
_STATUS = re.compile(rb"HTTP/1\.[01] 2[0-9][0-9](?: [^\r\n]*)?\r\n")
_OF_THE_CONNECTION = {b"connection", b"host", b"keep-alive", b"proxy-connection"}
_SECRET_OF_A_PROXY = b"proxy-authorization"
_PLAIN_PORT = 80


class Malformed(Exception):
    """The bytes are no request that a proxy could serve."""


class ProxyRequest(NamedTuple):
    """What a program asks for."""

    server: Endpoint
    tunnel: bool
    """Whether it waits to be told that the connection stands."""
    first: bytes
    """What goes to the server first."""


def read_request(head: bytes) -> ProxyRequest:
    """Read a request up to and without its empty line; raises `Malformed`."""
    line, *headers = head.split(b"\r\n")
    found = _LINE.fullmatch(line)
    if not found or not all(_HEADER.fullmatch(header) for header in headers):
        raise Malformed("this is no HTTP/1.1 request")
    method, target, version = found.groups()
    if method == b"CONNECT":
        return ProxyRequest(_server(target), tunnel=True, first=b"")
    absolute = _TARGET.fullmatch(target)
    if not absolute:
        raise Malformed("this is a proxy: ask for CONNECT host:port or for http://host/path")
    authority, path = absolute[1], absolute[2] or b"/"
    server = _server(authority if _has_port(authority) else b"%s:%d" % (authority, _PLAIN_PORT))
    path = path if path.startswith(b"/") else b"/" + path
    kept = [header for header in headers if _name(header) not in _OF_THE_CONNECTION]
    kept = [header for header in kept if _name(header) != _SECRET_OF_A_PROXY]
    lines = [b"%s %s %s" % (method, path, version), b"Host: " + authority, *kept]
    return ProxyRequest(
        server, tunnel=False, first=b"\r\n".join([*lines, b"Connection: close"]) + END
    )


def is_granted(head: bytes) -> bool:
    """Tell whether another proxy's answer means that the connection stands."""
    return _STATUS.match(head + b"\r\n") is not None


def refusal(status: str, why: str) -> bytes:
    """Return an answer of one line that ends the connection."""
    body = f"{why}\n".encode()
    lines = [
        f"HTTP/1.1 {status}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    return "\r\n".join(lines).encode() + END + body


def _server(authority: bytes) -> Endpoint:
    try:
        return parse_endpoint(authority.decode("ascii"))
    except ValueError as error:
        raise Malformed(str(error)) from None


def _has_port(authority: bytes) -> bool:
    return b":" in authority.rpartition(b"]")[2]


def _name(header: bytes) -> bytes:
    return header.partition(b":")[0].lower()
