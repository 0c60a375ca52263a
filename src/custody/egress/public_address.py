"""Where a server is, asked once: its addresses, none of which is on a network of one's own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NamedTuple

from custody.errors import FetchFailed

_TRANSLATED = ip_network("64:ff9b::/96")
"""IPv6 addresses that end at an IPv4 address."""


class PinnedAddress(NamedTuple):
    """One address of a server, as the system's sockets take it."""

    family: int
    host: str
    port: int


Resolve = Callable[[str, int], list[PinnedAddress]]


def ask_system(host: str, port: int) -> list[PinnedAddress]:
    """Return what the system's resolver says; raises `OSError` or `UnicodeError`."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    each = [PinnedAddress(family, str(where[0]), port) for family, _, _, _, where in found]
    return list(dict.fromkeys(each))


def addresses_of(
    host: str, port: int, seconds: float, *, private: bool, resolve: Resolve
) -> list[PinnedAddress]:
    """Return the addresses to connect to; what is connected to is one of them and nothing else.

    Raises `FetchFailed`: ``resolve`` for a name that means nothing, ``timeout``, and
    ``private_address`` when any of them is not public, unless ``private``.
    """
    found = _within(seconds, host, port, resolve)
    if not private:
        for address in found:
            if not is_public(address.host):
                what = f"{host} is at {address.host}, which is no public address"
                raise FetchFailed("private_address", what, where=f"{host}:{port}")
    return found


def is_public(text: str) -> bool:
    """Whether an address is one that the whole Internet can mean."""
    address = ip_address(text.partition("%")[0])
    inner = _inside(address)
    if inner is not None and not is_public(str(inner)):
        return False
    if isinstance(address, IPv6Address) and address.is_site_local:
        return False  # given up, and in use in places: Python counts them as global
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_unspecified
    )


def _inside(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address leads to; None where it leads to none."""
    if isinstance(address, IPv4Address):
        return None
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)


def _within(seconds: float, host: str, port: int, resolve: Resolve) -> list[PinnedAddress]:
    """Ask in a thread of its own: the system's resolver cannot be interrupted."""
    answers: list[list[PinnedAddress] | str] = []

    def ask() -> None:
        try:
            answers.append(resolve(host, port))
        except (OSError, UnicodeError) as error:
            answers.append(getattr(error, "strerror", None) or "the name means nothing")

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(max(seconds, 0.0))
    if not answers:
        raise FetchFailed("timeout", f"nobody said in time where {host} is", where=host)
    answer = answers[0]
    if isinstance(answer, str) or not answer:
        raise FetchFailed("resolve", f"{host}: {answer or 'it has no address'}", where=host)
    return answer
