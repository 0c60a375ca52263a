"""When something happened, as the tables hold it."""

from __future__ import annotations

import time


def utc_now() -> str:
    """Return this moment in UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
