"""A server of embeddings on this machine, which speaks as OpenAI's does: its vectors are real ones.

A text's vector counts its letters, so texts of the same letters are alike. What it says can be
replaced, to see what is believed.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from string import ascii_lowercase
from typing import Any, NamedTuple

from support.servers import Server, read_head

Change = Callable[[dict[str, Any]], object]


class Asked(NamedTuple):
    """One request as it came."""

    head: str
    body: dict[str, Any]


class Embeddings(NamedTuple):
    """A server that is there."""

    url: str
    asked: list[Asked]


@contextmanager
def embeddings(change: Change = lambda said: said, status: str = "200 OK") -> Iterator[Embeddings]:
    """Serve until it is left; ``change`` makes of what it would say what it says."""
    asked: list[Asked] = []

    def talk(connection: socket.socket) -> None:
        head = read_head(connection).decode()
        length = int(head.lower().partition("content-length: ")[2].partition("\r")[0])
        data = b""
        while len(data) < length:
            data += connection.recv(length - len(data))
        asked.append(Asked(head, json.loads(data)))
        said = json.dumps(change(_answer(asked[-1].body))).encode()
        kind = "Content-Type: application/json; charset=utf-8"
        said_head = f"HTTP/1.1 {status}\r\n{kind}\r\nContent-Length: {len(said)}\r\n"
        connection.sendall(f"{said_head}Connection: close\r\n\r\n".encode() + said)

    with Server(talk) as server:
        yield Embeddings(f"http://{server.name}/v1/embeddings", asked)


def _answer(body: dict[str, Any]) -> dict[str, Any]:
    rows = [
        {"object": "embedding", "index": number, "embedding": letters(text)}
        for number, text in enumerate(body["input"])
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "data": rows[::-1], "model": body["model"], "usage": usage}


def letters(text: str) -> list[float]:
    """Return how often a text has each letter."""
    return [float(text.lower().count(letter)) for letter in ascii_lowercase]
