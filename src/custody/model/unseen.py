"""Characters that nobody sees: two texts that look alike may differ by them."""

from __future__ import annotations

from custody.patterns import later

CONTROL = later("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Control characters and line separators."""
INVISIBLE = later(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Code points that are drawn as nothing, and that some file systems leave out of a name."""
BIDI = later("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Those that turn the direction of a text, so that it reads otherwise than it is."""


def unseen(text: str) -> str:
    """Return the first character of a text that nobody sees; empty when there is none."""
    found = CONTROL.search(text) or INVISIBLE.search(text)
    return found[0] if found else ""
