"""What a closed network lets through to the servers that were named, and what it does not."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from custody.sandbox import landlock
from custody.sandbox.confinement import Confinement
from support.programs import needs
from support.sandboxes import CONFINED, Ran, Site
from support.servers import Server, answer, echo, hello, read_head

KEEPS_PORTS = landlock.abi() >= landlock.ABI_WITH_TCP
GATED = (
    pytest.param(
        "L2",
        marks=pytest.mark.skipif(
            not KEEPS_PORTS,
            reason="this kernel's Landlock knows of no ports (Linux 6.7 and later do)",
        ),
    ),
    "L3",
)
"""Where single servers can be put in reach."""
PYTHON = sys.executable
FETCH = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=20).read().decode())"


@pytest.fixture(autouse=True)
def _nothing_is_left(site: Site) -> Iterator[None]:
    """Fail a test after which the runtime holds a thread or a descriptor more."""
    site.run(site.confinement("L2"), "true")
    before = set(threading.enumerate()), len(os.listdir("/proc/self/fd"))
    yield
    site.run(site.confinement("L2"), "true")
    assert (set(threading.enumerate()), len(os.listdir("/proc/self/fd"))) == before


def python(site: Site, confinement: Confinement, script: str, *arguments: object) -> Ran:
    words = [str(argument) for argument in arguments]
    return site.run(confinement, PYTHON, "-c", script, *words, timeout=60)


@needs("curl")
@pytest.mark.parametrize("level", GATED)
def test_a_named_server_is_reached_straight_and_by_the_proxy(site: Site, level: str) -> None:
    with Server(hello) as server:
        url = f"http://{server.name}/x"
        line = f"curl -sS {url}; curl -sS --noproxy '' {url}; curl -sS --noproxy '' -p {url}"
        ran = site.run(site.reaching(level, server.name), "sh", "-c", line, timeout=60)
        assert (ran.stdout, ran.stderr) == ("hello GET /x HTTP/1.1" * 3, "")
        assert server.count == 3
        assert ran.result.reached == (server.name,)
        fetched = python(site, site.reaching(level, server.name), FETCH, url)
        assert fetched.stdout == "hello GET /x HTTP/1.1\n"
    assert ran.result.refused == fetched.result.refused == ()


@pytest.mark.parametrize("level", GATED)
def test_a_name_is_reached_by_the_proxy_of_the_environment(
    site: Site, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pretend(connection: socket.socket) -> None:
        assert read_head(connection).startswith(b"CONNECT api.example.com:80 ")
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        hello(connection)

    with Server(pretend) as upstream:
        monkeypatch.setenv("HTTP_PROXY", f"http://{upstream.name}")
        monkeypatch.delenv("http_proxy", raising=False)
        confinement = site.reaching(level, "API.example.com:80")
        ran = python(site, confinement, FETCH, "http://api.example.com/y")
    assert ran.stdout == "hello GET /y HTTP/1.1\n", ran
    assert ran.result.reached == ("api.example.com:80",)


@pytest.mark.parametrize("level", GATED)
def test_programs_are_told_where_the_proxy_is(site: Site, level: str) -> None:
    ran = site.run(site.reaching(level, "a.example:1"), "env")
    variables = dict(line.split("=", 1) for line in ran.stdout.splitlines())
    proxies = {variables[f"{name}_PROXY"] for name in ("HTTP", "HTTPS", "ALL")}
    proxies |= {variables[f"{name}_proxy"] for name in ("http", "https", "all")}
    assert len(proxies) == 1
    assert proxies.pop().startswith("http://127.0.0.1:")
    assert variables["NO_PROXY"] == variables["no_proxy"] == "localhost,127.0.0.1,::1"


ATTEMPTS = """
import ctypes, errno, json, os, socket, sys
named, other, here = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

def attempt(what):
    try:
        what()
        return "ok"
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)

def connect(host, port, *kind, wait=10):
    with socket.socket(*kind) as end:
        end.settimeout(wait)
        end.connect((host, port))

def send(flags, *where):
    with socket.socket() as end:
        end.settimeout(10)
        end.sendto(b"x", flags, *where)

def send_message(port):
    with socket.socket() as end:
        end.sendmsg([b"x"], [], 0x20000000, ("127.0.0.1", port))

def untie():
    with socket.socket() as end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"")
        end.settimeout(1)
        end.connect(("192.0.2.1", named))

def listen():
    with socket.socket() as end:
        end.listen()

def bind(port):
    with socket.socket() as end:
        end.bind(("127.0.0.1", port))

print(json.dumps({
    "named": attempt(lambda: connect("127.0.0.1", named)),
    "other port": attempt(lambda: connect("127.0.0.1", other)),
    "other port, v6": attempt(lambda: connect("::1", other, socket.AF_INET6)),
    "elsewhere": attempt(lambda: connect("192.0.2.1", 443)),
    "the same port elsewhere": attempt(lambda: connect("192.0.2.1", named, wait=0.5)),
    "another device": attempt(untie),
    "fast open": attempt(lambda: send(0x20000000, ("127.0.0.1", other))),
    "fast open by message": attempt(lambda: send_message(other)),
    "mptcp": attempt(lambda: connect("127.0.0.1", other, 2, 1, 262)),
    "sctp": attempt(lambda: connect("127.0.0.1", other, 2, 1, 132)),
    "udp": attempt(lambda: socket.socket(2, 2).close()),
    "udp, v6": attempt(lambda: socket.socket(10, 2).close()),
    "raw": attempt(lambda: socket.socket(2, 3, 1).close()),
    "packet": attempt(lambda: socket.socket(17, 3).close()),
    "vsock": attempt(lambda: socket.socket(40, 1).close()),
    "netlink": attempt(lambda: socket.socket(16, 3).close()),
    "unix": attempt(lambda: socket.socket(1).connect(here)),
    "unix, abstract": attempt(lambda: socket.socket(1).connect("\\0" + here)),
    "dns": attempt(lambda: socket.getaddrinfo("example.com", 80)),
    "bind": attempt(lambda: bind(0)),
    "listen": attempt(listen),
}))
"""
OPEN = {"L2": {"named"}, "L3": {"named", "listen"} if KEEPS_PORTS else {"named", "listen", "bind"}}
"""Listening in a network of one's own is heard by nobody outside, whatever the port."""


@pytest.mark.parametrize("level", GATED)
def test_nothing_else_is_reached(site: Site, level: str, tmp_path: Path) -> None:
    door = str(tmp_path / "door")
    with (
        Server(echo) as named,
        Server(echo) as other,
        socket.socket(socket.AF_UNIX) as unix,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        unix.bind(door)
        abstract.bind(f"\0{door}")
        unix.listen()
        abstract.listen()
        confinement = site.reaching(level, named.name)
        ran = python(site, confinement, ATTEMPTS, named.port, other.port, door)
        assert other.count == 0
    assert ran.result.succeeded, ran
    found: dict[str, str] = msgspec.json.decode(ran.stdout)
    assert {what for what, said in found.items() if said == "ok"} == OPEN[level]
    if level == "L2":
        assert (found["another device"], found["the same port elsewhere"]) == (
            "EPERM",
            "TimeoutError",
        )


@needs("curl")
@pytest.mark.parametrize("level", GATED)
@pytest.mark.parametrize("name", ["unlisted.example:443", "127.0.0.1:{}", "[::1]:{}"])
def test_what_the_proxy_is_asked_for_in_vain_is_told(site: Site, level: str, name: str) -> None:
    with Server(hello) as server:
        name = name.format(server.port)
        line = f"curl -sS --noproxy '' http://{name}/; curl -sS --noproxy '' -p http://{name}/"
        ran = site.run(site.reaching(level, "api.example.com:443"), "sh", "-c", line)
        assert server.count == 0
    assert f"{name} is not among the servers that can be reached here" in ran.stdout
    assert "403" in ran.stderr
    assert (ran.result.reached, ran.result.refused) == ((), (name,))


@pytest.mark.parametrize("level", CONFINED)
def test_without_a_server_everything_stays_shut(site: Site, level: str) -> None:
    script = "import os, socket; print('HTTP_PROXY' in os.environ); socket.socket()"
    ran = python(site, site.confinement(level), script)
    assert ran.stdout == "False\n"
    assert "Operation not permitted" in ran.stderr


def test_nothing_is_set_where_nothing_is_confined(site: Site) -> None:
    ran = site.run(site.reaching("L1", "a.example:1"), "sh", "-c", "echo $HTTP_PROXY")
    assert (ran.stdout, ran.result.reached) == ("\n", ())


@pytest.mark.parametrize("level", GATED)
def test_what_names_no_server_is_a_failure(site: Site, level: str) -> None:
    ran = site.run(site.reaching(level, "a.example"), "touch", "started")
    reason = "confinement_failed: 'a.example' has no port; host:port is meant"
    assert ran.result.failure_reason == reason
    assert site.run(site.reaching(level, "a.example:1"), "true").result.succeeded


LARGE = """
import os, socket, sys, threading
end = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
block, count = os.urandom(1 << 20), 24
def send():
    for _ in range(count):
        end.sendall(block)
    end.shutdown(socket.SHUT_WR)
threading.Thread(target=send).start()
data = bytearray()
while part := end.recv(1 << 16):
    data += part
print(data == block * count)
"""


@pytest.mark.parametrize("level", GATED)
def test_large_amounts_pass(site: Site, level: str) -> None:
    with Server(echo) as server:
        assert (
            python(site, site.reaching(level, server.name), LARGE, server.port).stdout == "True\n"
        )


EVENTS = """
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": sys.argv[2]}))
with opener.open(sys.argv[1], timeout=30) as stream:
    for line in stream:
        print(line.decode().strip(), flush=True)
        if line == b"data: 1\\n":
            opener.open(sys.argv[1] + "next", timeout=30).read()
"""


@pytest.mark.parametrize("level", GATED)
def test_events_arrive_as_they_are_sent(site: Site, level: str) -> None:
    seen = threading.Event()

    def stream(connection: socket.socket) -> None:
        if b"/next" in read_head(connection):
            seen.set()
            answer(connection, b"")
            return
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n")
        assert seen.wait(30)
        connection.sendall(b"data: 2\n")

    with Server(stream) as server:
        line = f"exec {PYTHON} -c '{EVENTS}' http://{server.name}/ $HTTP_PROXY"
        ran = site.run(site.reaching(level, server.name), "sh", "-c", line, timeout=60)
    assert ran.stdout == "data: 1\ndata: 2\n", ran


MANY = """
import sys, urllib.request
from concurrent.futures import ThreadPoolExecutor
def fetch(number):
    return urllib.request.urlopen(f"{sys.argv[1]}{number}", timeout=30).read().decode()
with ThreadPoolExecutor(20) as pool:
    print(len(set(pool.map(fetch, range(60)))))
"""


@pytest.mark.parametrize("level", GATED)
def test_many_connections_at_once(site: Site, level: str) -> None:
    with Server(hello) as server:
        ran = python(site, site.reaching(level, server.name), MANY, f"http://{server.name}/")
        assert ran.stdout == "60\n", ran
        assert server.count == 60


ENDLESS = """
import socket, sys
end = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
end.sendall(b"x")
while True:
    end.recv(1 << 16)
"""


@pytest.mark.parametrize("level", GATED)
def test_a_program_ended_in_the_middle_leaves_nothing(site: Site, level: str) -> None:
    begun, ended = threading.Event(), threading.Event()

    def pour(connection: socket.socket) -> None:
        connection.recv(1)
        begun.set()
        try:
            while True:
                connection.sendall(b"x" * (1 << 16))
        finally:
            ended.set()

    with Server(pour) as server:
        words = (PYTHON, "-c", ENDLESS, str(server.port))
        for seconds in (1, 5, 25):  # a slow machine may need the first for the start alone
            ran = site.run(site.reaching(level, server.name), *words, timeout=seconds)
            assert ran.result.ended_by == "timeout"
            if begun.is_set():
                break
        assert ended.wait(20)
        with Server(hello) as next_server:
            confinement = site.reaching(level, next_server.name)
            ran = site.run(confinement, PYTHON, "-c", FETCH, f"http://{next_server.name}/")
    assert ran.stdout.startswith("hello"), ran


@needs("curl")
def test_a_low_port_and_both_protocols_can_be_named_at_l3(site: Site) -> None:
    with Server(hello, "::1") as server:
        line = f"curl -sS http://localhost:{server.port}/ http://[::1]:{server.port}/"
        reach = (f"localhost:{server.port}", server.name, "127.0.0.1:7", "127.0.0.1:3128")
        ran = site.run(site.reaching("L3", *reach), "sh", "-c", f"{line}; echo; echo $HTTP_PROXY")
    assert ran.stdout == "hello GET / HTTP/1.1" * 2 + "\nhttp://127.0.0.1:3129\n", ran
    assert ran.result.reached == (f"localhost:{server.port}",)


@needs("curl")
def test_a_prepared_sandbox_has_the_doors_of_the_line_that_takes_it(site: Site) -> None:
    with Server(hello) as one, Server(hello) as two:
        for server in (one, one, two, one, two, two):
            url = f"http://{server.name}/"
            ran = python(site, site.reaching("L3", server.name), FETCH, url)
            assert ran.stdout == "hello GET / HTTP/1.1\n", ran
            assert not site.run(site.confinement("L3"), "curl", "-s", url).result.succeeded


def test_a_lost_server_does_not_hold_the_runtime_up(site: Site) -> None:
    with Server(echo) as server:
        site.run(site.confinement("L3"), "true")
        client = site.supervisor._client
        assert client is not None
        os.kill(client._pid, 9)
        ran = site.run(site.reaching("L3", server.name), "sleep", "1000")
        assert ran.result.ended_by == "supervisor_lost"
        assert site.run(site.reaching("L3", server.name), "true").result.succeeded
