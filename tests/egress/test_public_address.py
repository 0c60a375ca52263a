"""Where servers are: which addresses are public, and that nobody waits for ever."""

from __future__ import annotations

import socket
import threading

import pytest

from custody.egress.public_address import PinnedAddress, addresses_of, ask_system, is_public
from custody.errors import FetchFailed


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1",
        "240.0.0.1",
        "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1",
        "2001:db8::1", "fec0::1", "feff::1", "64:ff9b:1::7f00:1", "::7f00:1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
    ],
)  # fmt: skip
def test_what_is_not_public(text: str) -> None:
    assert not is_public(text)


@pytest.mark.parametrize("text", ["93.184.215.14", "1.1.1.1", "2606:4700::1111"])
def test_what_is_public(text: str) -> None:
    assert is_public(text)


def pinned(*hosts: str) -> list[PinnedAddress]:
    return [PinnedAddress(socket.AF_INET, host, 443) for host in hosts]


@pytest.mark.req("C-11")
def test_one_private_address_among_public_ones_is_enough() -> None:
    found = pinned("93.184.215.14", "10.0.0.1")
    with pytest.raises(FetchFailed) as refused:
        addresses_of("a.example", 443, 5.0, private=False, resolve=lambda *_: found)
    assert refused.value.code == "private_address"
    allowed = addresses_of("a.example", 443, 5.0, private=True, resolve=lambda *_: found)
    assert allowed == found


def test_a_name_that_means_nothing() -> None:
    def fail(_host: str, _port: int) -> list[PinnedAddress]:
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(FetchFailed, match="not known") as refused:
        addresses_of("a.example", 443, 5.0, private=False, resolve=fail)
    assert refused.value.code == "resolve"
    with pytest.raises(FetchFailed) as refused:
        addresses_of("a.example", 443, 5.0, private=False, resolve=lambda *_: [])
    assert refused.value.code == "resolve"


def test_a_resolver_that_does_not_answer() -> None:
    end = threading.Event()

    def wait(_host: str, _port: int) -> list[PinnedAddress]:
        end.wait(30)
        return []

    try:
        with pytest.raises(FetchFailed) as refused:
            addresses_of("a.example", 443, 0.05, private=False, resolve=wait)
    finally:
        end.set()
    assert refused.value.code == "timeout"


def test_the_system_knows_this_machine() -> None:
    assert ask_system("127.0.0.1", 80) == [PinnedAddress(socket.AF_INET, "127.0.0.1", 80)]
