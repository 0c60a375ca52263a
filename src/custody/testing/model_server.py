"""A model on this machine that says what a script says, for tests and for trying things out.

    with ModelServer(Script.of(Turn(run="echo hi > a.txt"), Turn(say="Done."))) as server:
        ...  # point the agent at server.url

It speaks OpenAI's Responses and Chat Completions and Anthropic's Messages, streamed or not, and
listens on the loopback address alone. From a shell:

    python -m custody.testing.model_server script.json --port 8377 -- custody run …

serves until the command has ended, and without a command until it is ended itself.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

from custody.errors import CustodyError, UsageError
from custody.model.record import decode
from custody.store.root import read_file
from custody.testing.script import Answer, Script, Turn
from custody.testing.wires import WIRES, Json, events, reply_to

__all__ = ["Answer", "ModelRequest", "ModelServer", "Script", "Turn"]

HOST = "127.0.0.1"
BODY_LIMIT = 64 << 20


class ModelRequest(NamedTuple):
    """One request that came in."""

    path: str
    headers: dict[str, str]
    body: Json


class ModelServer:
    """Answers from a script while it is open; every request is kept in `asked`."""

    def __init__(self, script: Script, *, port: int = 0) -> None:
        self.script = script
        self.asked: list[ModelRequest] = []
        self.closing = threading.Event()
        self._http = ThreadingHTTPServer((HOST, port), _handler_for(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """The address without ``/v1``, as ``ANTHROPIC_BASE_URL`` wants it."""
        return f"http://{HOST}:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    server_of: ModelServer
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._send(200, "text/plain", b"")

    def do_GET(self) -> None:
        """List models, which some agents want before they ask."""
        name = self.server_of.script.model
        listed = {"object": "list", "data": [{"id": name, "object": "model"}], "models": []}
        self._send_json(200, listed)

    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        body = self._body()
        wire = next((wire for end, wire in WIRES.items() if path.endswith(end)), None)
        if body is None:
            self._send_json(400, _error("the body is no JSON object"))
        elif path.endswith("/count_tokens"):
            self._send_json(200, {"input_tokens": self.server_of.script.input_tokens})
        elif wire is None:
            self._send_json(404, _error(f"nothing is served at {path}"))
        else:
            self.server_of.asked.append(ModelRequest(path, dict(self.headers), body))
            self._answer(path, body)

    def _answer(self, path: str, body: Json) -> None:
        server = self.server_of
        wire = next(wire for end, wire in WIRES.items() if path.endswith(end))
        results = wire.results(body)
        turn = server.script.turn(json.dumps(body, ensure_ascii=False), results)
        if turn.wait:
            server.closing.wait(turn.wait)
        if turn.status >= 400:  # noqa: PLR2004 - where the errors of HTTP begin
            self._send_json(turn.status, _error(turn.say))
            return
        reply = reply_to(body, turn, server.script, results)
        if turn.run and reply.call is None:
            self._send_json(400, _error("no shell tool that is known here was offered"))
            return
        if body.get("stream"):
            self._stream(list(events(wire, reply)), turn)
        else:
            self._send_json(200, wire.whole(reply))

    def _stream(self, pieces: list[bytes], turn: Turn) -> None:
        """Send an answer piece by piece; one that is cut is shorter than it was said to be."""
        kept = pieces[: len(pieces) // 2] if turn.cut else pieces
        self.close_connection |= turn.cut
        try:
            self._head(200, "text/event-stream", sum(map(len, pieces)))
            for number, piece in enumerate(kept):
                if turn.pause and number:
                    self.server_of.closing.wait(turn.pause)
                self.wfile.write(piece)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the agent was ended, or has heard enough

    def _body(self) -> Json | None:
        size = int(self.headers.get("Content-Length") or 0)
        if not 0 < size <= BODY_LIMIT:
            return None
        try:
            body = json.loads(self.rfile.read(size))
        except ValueError:
            return None
        return body if isinstance(body, dict) else None

    def _send_json(self, status: int, value: Json) -> None:
        self._send(status, "application/json", json.dumps(value).encode())

    def _send(self, status: int, kind: str, data: bytes) -> None:
        try:
            self._head(status, kind, len(data))
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the agent was ended while it waited

    def _head(self, status: int, kind: str, size: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(size))
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing: standard error is the agent's."""


def _handler_for(server: ModelServer) -> type[_Handler]:
    return type("Handler", (_Handler,), {"server_of": server})


def _error(message: str) -> Json:
    kind = "invalid_request_error"
    return {"type": "error", "error": {"type": kind, "message": message, "code": None}}


def main(words: list[str] | None = None) -> int:
    """Serve a script while a command runs, or until the process is ended."""
    import argparse
    import sys

    words = sys.argv[1:] if words is None else words
    end = words.index("--") if "--" in words else len(words)
    command = words[end + 1 :]

    parser = argparse.ArgumentParser(
        prog="python -m custody.testing.model_server",
        usage="%(prog)s SCRIPT [--port PORT] [-- COMMAND ...]",
    )
    parser.add_argument("script", help="JSON file of answers")
    parser.add_argument("--port", type=int, default=0, help="default: one that is free")
    given = parser.parse_args(words[:end])
    try:
        script = decode(read_file(given.script), Script, where=given.script)
        return _serve(script, given.port, command)
    except CustodyError as error:
        hint = f"\n  hint: {error.hint}" if error.hint else ""
        parser.exit(error.exit_code, f"error: {error}{hint}\n")


def _serve(script: Script, port: int, command: list[str]) -> int:
    import subprocess

    try:
        opened = ModelServer(script, port=port)
    except (OSError, OverflowError):
        what = f"port {port} of {HOST} is taken, or may not be used"
        raise UsageError(what, hint="name another by --port, or end who listens there") from None
    with opened as server:
        if command:
            try:
                return subprocess.run(command, check=False).returncode
            except OSError:
                raise UsageError(f"{command[0]!r} cannot be started") from None
        print(server.url, flush=True)  # noqa: T201 - how the caller learns the port
        try:
            server.closing.wait()
        except KeyboardInterrupt:
            return 0
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
