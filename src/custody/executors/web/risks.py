"""What to beware of in a page: it is data from strangers, and may speak to whoever reads it.

prompt_injection  it tells its reader what to do, as one would tell a model
hidden_text       it holds text that is not shown, or characters that cannot be seen
title_mismatch    its title has nothing to do with the goal
goal_mismatch     its excerpt has nothing to do with the goal
not_https         it was read without TLS
redirected        it came from another server than the one that was asked
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from custody.checks.guards.web_address import read_address
from custody.egress.fetch import FetchedPage
from custody.executors.web.page import PageText
from custody.model.contracts.find_web import RiskFlag
from custody.patterns import later
from custody.pipeline.workflows import stems

_ORDERS = later(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,60}?"
    r"\b(?:instruction|prompt|rule|guideline|direction|previous|above|prior|earlier)"
    r"|\b(?:you are|act as|pretend to be)\b.{0,30}?\b(?:now|an? (?:ai|assistant|admin|root)|dan)\b"
    r"|\bsystem (?:prompt|message|override)\b|\bnew instructions?\b|\bdeveloper mode\b"
    r"|\bdo not (?:tell|inform|mention|alert)\b.{0,30}?\b(?:user|human|anyone)"
    r"|\b(?:reveal|print|send|leak|exfiltrate|upload)\b.{0,50}?"
    r"\b(?:prompt|secret|password|token|api[ _-]?key|credential|environment variable)"
    r"|\b(?:ai|llm|language model|assistant|agent)s?\b.{0,40}?\b(?:must|should|has to|have to)\b"
    r"|<\|(?:im_start|im_end|system|user|assistant)\|>|\[/?INST\]|<</?SYS>>"
    r"|\b(?:curl|wget)\b[^\n|]{0,200}\|\s*(?:ba|z)?sh\b",
    re.IGNORECASE | re.DOTALL,
)
_INVISIBLE = later(
    "[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_SAID = 20
"""Letters that hidden text must have to be worth a warning."""


def risk_flags(
    page: FetchedPage, text: PageText, goal: str, *, asked: str, relevant: bool
) -> tuple[RiskFlag, ...]:
    """Return what to beware of; ``asked`` is the address that was asked for first."""
    return tuple(_flags(page, text, goal, asked=asked, relevant=relevant))


def _flags(
    page: FetchedPage, text: PageText, goal: str, *, asked: str, relevant: bool
) -> Iterator[RiskFlag]:
    visible = "\n".join(text.lines)
    if any(_ORDERS.search(part) for part in (visible, text.title, text.hidden)):
        yield "prompt_injection"
    if sum(map(str.isalpha, text.hidden)) >= _SAID or _INVISIBLE.search(visible):
        yield "hidden_text"
    if text.title and set(stems(text.title)).isdisjoint(stems(goal)):
        yield "title_mismatch"
    if not relevant:
        yield "goal_mismatch"
    if not page.url.startswith("https:"):
        yield "not_https"
    if read_address(page.url).endpoint != read_address(asked).endpoint:
        yield "redirected"
