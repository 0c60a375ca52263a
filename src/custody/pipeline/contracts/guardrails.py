"""``guardrails.md``: how far a change may go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from custody.model.finding import Finding
from custody.model.record import Record
from custody.patterns import later
from custody.pipeline.key_lines import KeyLines, ReadDocument, at, read_key_lines
from custody.pipeline.messages import shown

RESOLVER_ONLY: Final = "resolver_only"
RESOLVER_PLUS_WEB: Final = "resolver_plus_web"

_LIMITS = ("max_files", "max_total_bytes", "max_iterations")
_WEB_LIMITS = ("max_queries", "max_pages")
_DOMAINS = "allow_domains"
_KEYS = ("find_mode", *_LIMITS, _DOMAINS, *_WEB_LIMITS)
_NUMBER = later(r"[0-9]{1,12}")
_DOMAIN = later(
    r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::[0-9]{1,5})?"
)


class Guardrails(Record, frozen=True):
    """What holds for a change as a whole."""

    find_mode: str = RESOLVER_ONLY
    max_files: int = 0
    max_total_bytes: int = 0
    max_iterations: int = 0
    allow_domains: tuple[str, ...] = ()
    max_queries: int = 0
    max_pages: int = 0

    @property
    def web(self) -> bool:
        """Whether the web may be asked."""
        return self.find_mode == RESOLVER_PLUS_WEB


def read_guardrails(data: bytes) -> ReadDocument[Guardrails]:
    """Read the document. Besides the codes of key lines: ``value`` for what is no such number."""
    lines = read_key_lines(data, _KEYS)
    mode = lines.sound("find_mode")
    web = mode is not None and mode.value == RESOLVER_PLUS_WEB
    required = _KEYS if web else ("find_mode", *_LIMITS)
    findings = [*lines.findings, *lines.missing(required), *_judge_mode(lines)]
    numbers: dict[str, int] = {}
    for key in (*_LIMITS, *_WEB_LIMITS):
        number = _number(lines, key)
        if isinstance(number, Finding):
            findings.append(number)
        elif number is not None:
            numbers[key] = number
    findings += _judge_domains(lines, needed=web)
    domains = tuple(item.text for item in lines.items(_DOMAINS))
    draft = Guardrails(
        find_mode=RESOLVER_PLUS_WEB if web else RESOLVER_ONLY, allow_domains=domains, **numbers
    )
    return ReadDocument(draft, tuple(findings))


def _judge_mode(lines: KeyLines) -> Iterator[Finding]:
    mode = lines.sound("find_mode")
    if mode is not None and mode.value not in {RESOLVER_ONLY, RESOLVER_PLUS_WEB}:
        what = f"find_mode is {shown(mode.value)}"
        yield at(mode.line, "value", what, f"{RESOLVER_ONLY} or {RESOLVER_PLUS_WEB}")


def _number(lines: KeyLines, key: str) -> int | Finding | None:
    line = lines.sound(key)
    if line is None:
        return None
    if _NUMBER.fullmatch(line.value) is None or not int(line.value):
        what = f"{key} is {shown(line.value)}"
        return at(line.line, "value", what, "a whole number above 0, in digits alone")
    return int(line.value)


def _judge_domains(lines: KeyLines, *, needed: bool) -> Iterator[Finding]:
    line = lines.sound(_DOMAINS)
    if line is None:
        return
    if needed and not line.items:
        yield at(line.line, "value", f"{_DOMAINS} names none", f"`{_DOMAINS}: docs.python.org`")
    for item in line.items:
        if _DOMAIN.fullmatch(item.text) is None:
            what = f"{_DOMAINS} holds {shown(item.text)}"
            yield at(item.line, "value", what, "names of servers in small letters, nothing else")
