"""Why the content of an evidence uri could not be had: the codes of `ResolveFailed`."""

from __future__ import annotations

GONE = "gone"
"""The place was reached, and there is nothing (any more)."""
UNREACHABLE = "unreachable"
"""The place itself could not be reached: no server, no program, no right."""
REFUSED = "refused"
"""The place is not one that the configuration admits."""
TOO_LARGE = "too_large"
"""There is more than may be read at once."""
CHANGED = "changed"
"""There is something else than the sha256 says."""
