"""Whose fault a failed live check is, told by what it printed. Pure."""

from __future__ import annotations

import re

_KEY = r"(?:api[ _-]?key|access[ _-]?key|token|credentials?|secret)s?"
_STATUS = r"(?:HTTP(?:/[0-9.]+)?|status(?:[ _-]?code)?|error|code|response|returned|got)"

INFRASTRUCTURE = {
    "key missing": (
        rf"{_KEY}[\w\"'` ]{{0,40}}\b(?:missing|not set|unset|required|not found|empty|undefined)\b"
        rf"|\b(?:missing|no|set|provide|invalid|incorrect)\b[\w\"'` ]{{0,40}}{_KEY}"
    ),
    "401": rf"{_STATUS}\W{{0,4}}401\b|\b401 Unauthorized|\bunauthorized\b",
    "403": rf"{_STATUS}\W{{0,4}}403\b|\b403 Forbidden",
    "404": rf"{_STATUS}\W{{0,4}}404\b|\b404 Not Found",
    "quota": r"\bquota\b|\binsufficient[ _](?:funds|credits?|balance)\b|\bbilling\b",
    "rate limit": rf"\brate[ _-]?limit|\btoo many requests\b|{_STATUS}\W{{0,4}}429\b",
    "connection": (
        r"\bcould not resolve\b|\bconnection (?:refused|reset|aborted|error|closed|failed)\b"
        r"|\b(?:failed|unable) to connect\b|\bnetwork is unreachable\b|\bno route to host\b"
        r"|\bname or service not known\b|\btemporary failure in name resolution\b"
        r"|\bECONN(?:REFUSED|RESET|ABORTED)\b|\bENOTFOUND\b|\bEAI_AGAIN\b|\bTLS handshake\b"
    ),
    "time-out": r"\btime[d]?[ -]?out\b|\bETIMEDOUT\b|\bdeadline exceeded\b",
}
"""What is wrong around the product, and how programs say so; upper or lower case."""


def infrastructure_fault(output: str) -> str:
    """Return which of `INFRASTRUCTURE` a failed live check complains of; empty for none."""
    for name, pattern in INFRASTRUCTURE.items():
        if re.search(pattern, output, re.IGNORECASE):
            return name
    return ""
