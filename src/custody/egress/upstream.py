"""The proxy that the runtime itself has to go through, as its environment names it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from custody.model.endpoint import Endpoint, parse_endpoint


class UnknownProxy(Exception):
    """The environment names a proxy that cannot be gone through; says why."""


class Upstream(NamedTuple):
    """A proxy on the way to a server."""

    server: Endpoint
    request: bytes
    """What asks it for a tunnel."""


def upstream_of(
    server: Endpoint, environment: Mapping[str, str], *, tunnel: bool
) -> Upstream | None:
    """Return the proxy between here and a server, or None where there is none.

    It is always asked for a tunnel, for plain HTTP too: bytes that pass a proxy unread could ask
    it for any server, and a tunnel has one end.
    """
    variable = "HTTPS_PROXY" if tunnel else "HTTP_PROXY"
    address = environment.get(variable.lower()) or environment.get(variable) or ""
    if not address or server.loopback or _goes_straight(server, environment):
        return None
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        host = parts.netloc.rpartition("@")[2]
        proxy = parse_endpoint(host if parts.port else f"{host}:80")
    except ValueError as error:
        raise UnknownProxy(f"{variable}: {error}") from None
    if parts.scheme != "http":
        raise UnknownProxy(f"{variable}: only a proxy that is spoken to by http can be used")
    lines = [f"CONNECT {server.text} HTTP/1.1", f"Host: {server.text}"]
    if parts.username is not None:
        name, secret = unquote(parts.username), unquote(parts.password or "")
        lines.append(
            f"Proxy-Authorization: Basic {b64encode(f'{name}:{secret}'.encode()).decode()}"
        )
    return Upstream(proxy, "\r\n".join([*lines, "", ""]).encode())


def _goes_straight(server: Endpoint, environment: Mapping[str, str]) -> bool:
    listed = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    entries = [entry.strip().lower() for entry in listed.split(",")]
    return any(_covers(entry, server) for entry in entries if entry)


def _covers(entry: str, server: Endpoint) -> bool:
    if entry == "*":
        return True
    host, _, port = entry.rpartition(":") if entry.count(":") == 1 else (entry, "", "")
    if port and port != str(server.port):
        return False
    if "/" in host:
        return server.is_address and _is_within(server.host, host)
    host = host.strip("[]").removeprefix("*").lstrip(".")
    return server.host == host or (not server.is_address and server.host.endswith(f".{host}"))


def _is_within(address: str, network: str) -> bool:
    from ipaddress import ip_address, ip_network

    try:
        return ip_address(address) in ip_network(network, strict=False)
    except ValueError:
        return False
