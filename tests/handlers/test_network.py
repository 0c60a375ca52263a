"""The attribute ``network``: what it may be, and what it opens."""

from __future__ import annotations

import pytest

from custody import api
from custody.model.event import RequestAnswered
from support.bench import Bench

TALK = """
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
client.sendall(b"hello")
print(server.accept()[0].recv(5))
"""


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ("none", ""),
        ("loopback", ""),
        ("host", ""),
        ("api.example.com:443, [::1]:80", ""),
        ("everything", "has no port"),
        ("host, api.example.com:443", "has no port"),
        ("https://api.example.com", "has a scheme"),
        ("*.example.com:443", "has a wildcard"),
    ],
)
@pytest.mark.parametrize(
    "node",
    [
        'type=tool, tool_command="ls"',
        'type=verification, verification.allowed_commands="ls"',
        'prompt="x"',
    ],
)
def test_what_it_may_be(bench: Bench, node: str, network: str, message: str) -> None:
    body = f'a [{node}, network="{network}"]\nstart -> a -> done'
    _, findings = api.check(bench.pipeline(body))
    found = [finding for finding in findings if finding.code == "attribute"]
    assert bool(found) == bool(message)
    assert all(message in finding.message for finding in found)


@pytest.mark.parametrize(("network", "status"), [("loopback", "PASS"), ("", "FAIL")])
def test_it_is_closed_unless_it_is_opened(bench: Bench, network: str, status: str) -> None:
    (bench.workdir / "talk.py").write_text(TALK)
    opened = f", network={network}" if network else ""
    body = f'a [type=tool, tool_command="python3 talk.py"{opened}]\nstart -> a -> done'
    assert bench.run(body, confinement="L3").summary.status == status
    (answered,) = [fact for fact in bench.facts() if isinstance(fact, RequestAnswered)]
    assert answered.ack.confined is not None
    assert answered.ack.confined.network == (network or "none")
