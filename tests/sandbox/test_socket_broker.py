"""Sockets at L2 are made by the server, and lead nowhere but to this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from custody.model.request import Command
from support.programs import needs
from support.sandboxes import Site
from support.servers import Server, hello

FLAGS = """
import fcntl, os, socket
for kind in (0, socket.SOCK_NONBLOCK):
    end = socket.socket(socket.AF_INET, socket.SOCK_STREAM | kind, 0)
    print(os.get_inheritable(end.fileno()), end.getblocking(), end.getsockopt(1, 25, 16)[:2])
libc = __import__("ctypes").CDLL(None)
print(bool(fcntl.fcntl(libc.socket(2, 1, 6), fcntl.F_GETFD)), libc.socket(10, 1, 0) > 0)
"""


def test_sockets_at_l2_are_tied_to_loopback_and_else_as_asked_for(site: Site) -> None:
    ran = site.run(site.reaching("L2", "a.example:1"), sys.executable, "-c", FLAGS)
    assert ran.stdout == "False True b'lo'\nFalse False b'lo'\nFalse True\n", ran


@needs("curl")
def test_commands_of_a_chain_all_get_their_sockets(site: Site) -> None:
    with Server(hello) as server:
        fetch = ("curl", "-sS", f"http://{server.name}/")
        ran = site.chain(
            site.reaching("L2", server.name),
            Command(argv=fetch),
            Command(argv=("sh", "-c", "exec " + " ".join(fetch)), joined_by="&&"),
            Command(argv=("no-such-tool",), joined_by="||"),
            Command(argv=("cat",), joined_by="|"),
        )
        assert server.count >= 2, ran
        client = site.supervisor._client
        assert client is not None
        site.run(site.confinement("L2"), "true")
        links = [os.readlink(file) for file in Path(f"/proc/{client._pid}/fd").iterdir()]
    assert [link for link in links if "seccomp" in link] == []


if os.geteuid() == 0:

    @needs("curl")
    def test_another_user_gets_its_sockets_at_l2(site: Site) -> None:
        os.chown(site.workspace, 65534, 65534)
        with Server(hello) as server:
            other = msgspec.structs.replace(site.reaching("L2", server.name), user=65534)
            ran = site.run(other, "curl", "-sS", f"http://{server.name}/")
        assert ran.stdout == "hello GET / HTTP/1.1", ran
