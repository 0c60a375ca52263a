"""Where secrets are taken out of what enters a run, and counted.

What comes from outside passes here before it is hashed or becomes part of a fact: what the user
passes in, the files of an attempt, and every text of its ack. Digests, paths and ids have fields of
their own and stay as they are; the workspace is the work itself and is not touched.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec.structs import replace

from custody.checks.guards.secrets import Redactor, redactor_for
from custody.errors import UsageError
from custody.model.request import Ack, AnyRequest, CommandLine, ToolRequest, VerificationRequest
from custody.model.verdict import Verdict

_FORMATS = Redactor({})
"""Knows no values, so that it gives the same facts whoever plays a journal again."""


class Passed(NamedTuple):
    """What a user passes to a run, without secrets: the run knows nothing else.

    A run that went on with a secret could be neither resumed nor replayed from a record without
    it. So the mark takes the secret's place before the first fact, for stages too.
    """

    variables: dict[str, str]
    agent: str
    workdir: str
    """As it is recorded; the source is read from where the user said."""
    redacted: tuple[str, ...]
    """The names of what is not as it was passed: variables, ``agent``, ``workdir``, roles and
    documents."""
    roles: dict[str, str]
    documents: dict[str, bytes]


def passed_in(
    *,
    variables: Mapping[str, str],
    agent: str = "",
    workdir: str = "",
    run_id: str = "",
    roles: Mapping[str, str] = MappingProxyType({}),
    documents: Mapping[str, bytes] = MappingProxyType({}),
) -> Passed:
    """Return what a run may know of what the user passes to it.

    Raises `UsageError` when its id holds a secret: an id is a name for others to use.
    """
    redactor = redactor_for(os.environ)
    if redactor.redact(run_id)[1]:
        raise UsageError("the run id holds a secret", hint="choose another one")
    cleaned = {name: redactor.redact_setting(name, value)[0] for name, value in variables.items()}
    passed = Passed(
        variables=cleaned,
        agent=_agent(agent, redactor),
        workdir=redactor.redact(workdir)[0],
        redacted=(),
        roles={role: _agent(spec, redactor) for role, spec in roles.items()},
        documents={path: redactor.redact_bytes(data)[0] for path, data in documents.items()},
    )
    given = {**variables, "agent": agent, "workdir": workdir, **roles, **documents}
    shown = {
        **cleaned,
        "agent": passed.agent,
        "workdir": passed.workdir,
        **passed.roles,
        **passed.documents,
    }
    return passed._replace(redacted=tuple(name for name in given if given[name] != shown[name]))


def _agent(spec: str, redactor: Redactor) -> str:
    words, _count = redactor.redact_argv(spec.split(" "))
    return redactor.redact(" ".join(words))[0]


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
        cleaned = {
            "failure_reason": self.text(ack.failure_reason),
            "failure_summary": self.text(ack.failure_summary),
            "notes": self.text(ack.notes),
            "context_updates": self._value(ack.context_updates),
            "verdicts": tuple([self._verdict(verdict) for verdict in ack.verdicts]),
        }
        if not self.count:
            return ack
        return replace(ack, **cleaned, redacted=ack.redacted + self.count)

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
