"""Which addresses of the web may be asked: their spelling, and the domains that were allowed.

Codes: ``url`` for what is no plain address, ``scheme`` for anything but http and https, ``domain``
for a server that nobody allowed. A domain stands for itself and for everything below it; with a
port it stands for that port alone, without one for the usual port of the scheme.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from custody.errors import Refused
from custody.patterns import later

PORTS = {"https": 443, "http": 80}
LONGEST = 2048

_PLAIN = later(r"[!-\[\]-~\u00a1-\U0010ffff]+")
"""What an address may hold: no blank, no control character, no backslash."""
_LABEL = later(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER = later(r"[0-9]+|0x[0-9a-f]*")
_HIGHEST_PORT = 65535
_TARGET_SAFE = "/%:=&?~#+!$,;'@()*[]-._"


class WebAddress(NamedTuple):
    """One page, spelled in one way."""

    scheme: str
    host: str
    """In ASCII and small letters; an IPv6 address without brackets."""
    port: int
    target: str
    """Path and query."""

    @property
    def server(self) -> str:
        """Host and port, the port only where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def endpoint(self) -> str:
        """Host and port, the usual one too."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.server}{self.target}"


def read_address(text: str) -> WebAddress:
    """Return a page's address, without its fragment; raises `Refused`."""
    from urllib.parse import quote, urlsplit

    if len(text) > LONGEST or _PLAIN.fullmatch(text) is None:
        raise Refused("url", f"{text[:80]!r} is no address of a page")
    try:
        parts = urlsplit(text)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        raise Refused("url", f"{text!r} is no address of a page") from None
    if parts.scheme not in PORTS:
        raise Refused("scheme", f"{text!r} is neither https nor http")
    if parts.username is not None or parts.password is not None or port == 0:
        raise Refused("url", f"{parts.scheme}://…@{host} names a user, or no port")
    target = quote(parts.path or "/", safe=_TARGET_SAFE)
    query = quote(parts.query, safe=_TARGET_SAFE)
    return WebAddress(
        parts.scheme,
        _ascii(host, text),
        port or PORTS[parts.scheme],
        f"{target}?{query}" if query else target,
    )


def admits(domains: Iterable[str], address: WebAddress) -> bool:
    """Whether one of some domains covers an address; one that makes no sense covers nothing."""
    return any(_covers(domain, address) for domain in domains)


def refuse_other_domain(domains: Iterable[str], address: WebAddress) -> None:
    """Raise `Refused` for an address that none of the domains covers."""
    if not admits(domains, address):
        what = f"{address.endpoint} is in none of the allowed domains"
        raise Refused("domain", what, hint="add it to allow_domains, if you trust it")


def _covers(domain: str, address: WebAddress) -> bool:
    name, colon, port = domain.strip().rpartition(":")
    if not colon or domain.endswith("]"):
        name, port = domain.strip(), str(PORTS[address.scheme])
    if str(address.port) != port:
        return False
    try:
        allowed = _ascii(name.strip("[]"), domain)
    except Refused:
        return False
    below = address.host.endswith(f".{allowed}") and not is_number(address.host)
    return address.host == allowed or below


def is_number(host: str) -> bool:
    """Whether a host is an address in numbers, and no name."""
    return ":" in host or _NUMBER.fullmatch(host.rpartition(".")[2]) is not None


def _ascii(host: str, text: str) -> str:
    """Return a host as it is asked for; raises `Refused`."""
    from ipaddress import ip_address

    if not host:
        raise Refused("url", f"{text!r} names no server")
    if is_number(host):
        try:
            return str(ip_address(host))
        except ValueError:
            raise Refused("url", f"{text!r}: {host!r} is no address") from None
    try:
        name = host.rstrip(".").encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise Refused("url", f"{text!r}: {host!r} is no name of a server") from None
    if not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise Refused("url", f"{text!r}: {host!r} is no name of a server")
    return name
