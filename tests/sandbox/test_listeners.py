"""Doors: which there are, and how they come out of a sandbox."""

from __future__ import annotations

import os
import socket

import pytest

from custody.sandbox.confinement import ProxyListener
from custody.sandbox.listeners import (
    MOST_LISTENERS,
    hand_over,
    listeners_inside,
    open_listeners,
    receive_listeners,
)


def test_the_proxy_comes_first_and_each_address_of_this_machine_has_its_door() -> None:
    reach = ("api.example.com:443", "127.0.0.1:3128", "localhost:3128", "[::1]:80")
    assert listeners_inside(reach) == (
        ProxyListener(address="127.0.0.1", port=3129),
        ProxyListener(address="::1", port=80, server="[::1]:80"),
        ProxyListener(address="127.0.0.1", port=3128, server="127.0.0.1:3128"),
        ProxyListener(address="::1", port=3128, server="localhost:3128"),
    )


def test_what_names_no_server_has_no_door() -> None:
    with pytest.raises(ValueError, match="no port"):
        listeners_inside(("a.example",))
    with pytest.raises(ValueError, match="more than"):
        listeners_inside(tuple(f"127.0.0.1:{port}" for port in range(1, MOST_LISTENERS + 2)))


def test_open_doors_come_out_as_they_were() -> None:
    inner, outer = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with inner, outer:
        assert receive_listeners(outer) == []
        before = len(os.listdir("/proc/self/fd"))
        opened = open_listeners(
            (ProxyListener(address="127.0.0.1", port=0), ProxyListener(address="::1", port=0))
        )
        hand_over(opened, inner.fileno())
        hand_over([], inner.fileno())
        received = receive_listeners(outer)
        assert received is not None
        assert [at for at, _ in received] == [0, 1]
        for _, descriptor in received:
            with socket.socket(fileno=descriptor) as listener:
                assert not os.get_inheritable(descriptor)
                with socket.create_connection(listener.getsockname()[:2], timeout=20):
                    listener.accept()[0].close()
        assert len(os.listdir("/proc/self/fd")) == before
        inner.close()
        assert receive_listeners(outer) is None


def test_as_many_doors_as_there_may_be_fit_in_one_message() -> None:
    inner, outer = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with inner, outer:
        opened = [(at, os.open(os.devnull, os.O_RDONLY)) for at in range(MOST_LISTENERS + 1)]
        hand_over(opened, inner.fileno())
        received = receive_listeners(outer)
        assert received is not None
        assert [at for at, _ in received] == [at for at, _ in opened]
        for _, descriptor in received:
            os.close(descriptor)
