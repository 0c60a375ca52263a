"""Where secrets are taken out of what enters a run, and counted.

What comes from outside passes here before it is hashed or becomes part of a fact: the files of
an attempt, and every text of its ack. Digests, paths and ids have fields of their own and stay
as they are; the workspace is the work itself and is not touched.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from custody.checks.guards.secrets import Redactor
from custody.model.request import Ack, AnyRequest, CommandLine, ToolRequest, VerificationRequest
from custody.model.verdict import Verdict

_FORMATS = Redactor({})
"""Knows no values, so that it gives the same facts whoever plays a journal again."""


class Redaction:
    """Redacts what one attempt brings back, and keeps count."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self.count = 0

    def text(self, text: str) -> str:
        """Return a text without its secrets."""
        cleaned, count = self._redactor.redact(text) if text else (text, 0)
        self.count += count
        return cleaned

    def data(self, data: bytes) -> bytes:
        """Return the content of a file without its secrets."""
        cleaned, count = self._redactor.redact_bytes(data)
        self.count += count
        return cleaned

    def ack(self, ack: Ack) -> Ack:
        """Return the ack without secrets in its texts, with the count of all there were."""
        cleaned = replace(
            ack,
            failure_reason=self.text(ack.failure_reason),
            failure_summary=self.text(ack.failure_summary),
            notes=self.text(ack.notes),
            context_updates=self._value(ack.context_updates),
            verdicts=tuple(self._verdict(verdict) for verdict in ack.verdicts),
        )
        return replace(cleaned, redacted=ack.redacted + self.count)

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self._value(key): self._value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._value(item) for item in value]
        return value

    def _verdict(self, verdict: Verdict) -> Verdict:
        return replace(
            verdict, reason=self.text(verdict.reason), subject=self.text(verdict.subject)
        )


def shown(request: AnyRequest) -> AnyRequest:
    """Return a request as a fact may show it: what is started keeps the words as written."""
    if isinstance(request, ToolRequest):
        return replace(request, line=_line(request.line))
    if isinstance(request, VerificationRequest):
        return replace(request, lines=tuple(_line(line) for line in request.lines))
    return request


def _line(line: CommandLine) -> CommandLine:
    commands = tuple(
        replace(command, argv=_FORMATS.redact_argv(command.argv)[0]) for command in line.commands
    )
    return CommandLine(text=_FORMATS.redact(line.text)[0], commands=commands)
