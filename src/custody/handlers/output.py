"""What of a command's output a prompt shows: its beginning and its end, as text. Pure."""

from __future__ import annotations

from collections.abc import Callable

from custody.model.evidence import Evidence
from custody.model.output import STDERR, STDOUT, Output

Read = Callable[[Evidence], bytes]


def excerpt(data: bytes, limit: int) -> str:
    """Return all of a stream that has at most ``limit`` bytes, else its first and last ones."""
    from custody.supervise.streams import readable

    if len(data) <= limit:
        return readable(data).rstrip("\n")
    head, tail = _up_to_line(data[: (limit + 1) // 2]), _from_line(data[len(data) - limit // 2 :])
    left_out = f"[… {len(data) - len(head) - len(tail)} bytes are left out …]"
    whole = head.decode(errors="ignore").encode()  # without a character that the cut went through
    first, last = readable(whole).rstrip("\n"), readable(tail).rstrip("\n")
    return f"{first}\n{left_out}\n{last}"


def told(output: Output, read: Read, limit: int) -> str:
    """Return both streams, which share the bytes that may be shown; empty if both are."""
    found = {name: _bytes(stream, read) for name, stream in _streams(output)}
    parts = []
    for name, data in found.items():
        others = sum(len(each) for other, each in found.items() if other != name)
        text = excerpt(data, max(limit // 2, limit - others))
        if text.strip():
            parts.append(f"{name}:\n{text}")
    return "\n\n".join(parts)


def _streams(output: Output) -> tuple[tuple[str, Evidence | None], ...]:
    return (STDOUT, output.stdout), (STDERR, output.stderr)


def _bytes(stream: Evidence | None, read: Read) -> bytes:
    return b"" if stream is None else read(stream)


def _up_to_line(head: bytes) -> bytes:
    """Return a beginning up to the end of its last line, if that does not cost the half of it."""
    end = head.rfind(b"\n") + 1
    return head[:end] if end > len(head) // 2 else head


def _from_line(tail: bytes) -> bytes:
    """Return an end from its first whole line on, if that does not cost the half of it."""
    start = tail.find(b"\n") + 1
    return tail[start:] if start < len(tail) // 2 else tail
