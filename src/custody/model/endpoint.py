"""A server as ``host:port``, the way a pipeline and a configuration name it."""

from __future__ import annotations

import re

import msgspec

from custody.patterns import later

LOCAL_NAME = "localhost"

_LABEL = later(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)")
_PORT = later(r"[0-9]{1,5}")
_LONGEST_NAME = 253
_HIGHEST_PORT = 65535


class Endpoint(msgspec.Struct, frozen=True):
    """One server; two that mean the same host and port are equal."""

    host: str
    """A name in lower case, or an address in its shortest form, v6 without brackets."""
    port: int

    @property
    def text(self) -> str:
        """The form that `parse_endpoint` reads."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def loopback(self) -> tuple[str, ...]:
        """Its addresses on this machine; none for a server elsewhere."""
        if self.host == LOCAL_NAME:
            return ("127.0.0.1", "::1")
        is_local = self.host == "::1" or (self.is_address and self.host.startswith("127."))
        return (self.host,) if is_local else ()

    @property
    def is_address(self) -> bool:
        """Whether the host is an address and no name."""
        return ":" in self.host or _ends_in_number(self.host)


def parse_endpoint(text: str) -> Endpoint:
    """Read ``host:port``; raises `ValueError` that says what is wrong with it.

    The host is a name in ASCII or an IP address, v6 in brackets; the port is 1 to 65535. There
    is no scheme, no user, no path and no wildcard.
    """
    for mark, what in (("://", "a scheme"), ("/", "a path"), ("@", "a user"), ("*", "a wildcard")):
        if mark in text:
            raise ValueError(f"{text!r} has {what}; only host:port is meant")
    host, colon, port = text.rpartition(":")
    if not colon or not host:
        raise ValueError(f"{text!r} has no port; host:port is meant")
    if not _PORT.fullmatch(port) or not 1 <= int(port) <= _HIGHEST_PORT:
        raise ValueError(f"{text!r} has no port from 1 to {_HIGHEST_PORT}")
    return Endpoint(_host(host, text), int(port))


def _host(host: str, text: str) -> str:
    if host.startswith("[") and host.endswith("]"):
        return _address(host[1:-1], 6, text)
    if ":" in host:
        raise ValueError(f"{text!r}: an IPv6 address stands in brackets, as [::1]:443")
    if _ends_in_number(host):
        return _address(host, 4, text)
    labels = host.split(".")
    if len(host) > _LONGEST_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        raise ValueError(f"{text!r}: {host!r} is neither a host name in ASCII nor an IP address")
    return host.lower()


def _address(host: str, version: int, text: str) -> str:
    from ipaddress import IPv4Address, IPv6Address

    try:
        found = IPv4Address(host) if version == 4 else IPv6Address(host)  # noqa: PLR2004
    except ValueError:
        found = None
    mapped = getattr(found, "ipv4_mapped", None)
    if found is None or mapped or "%" in host:  # a zone has a meaning on one machine only
        raise ValueError(f"{text!r}: {host!r} is no IPv{version} address")
    return str(found)


def _ends_in_number(host: str) -> bool:
    """Whether resolvers would take a host for an address, as they do with 127.1 and 0x7f.1."""
    last = host.rpartition(".")[2].lower()
    return last.isdigit() or re.fullmatch(r"0x[0-9a-f]*", last) is not None
