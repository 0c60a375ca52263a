"""Where a repository describes its behaviors, and what a page of one must have."""

from __future__ import annotations

CATALOG = "docs/behaviors"
"""The folder, in the user's repository."""
INDEX = f"{CATALOG}/INDEX.md"
HEADINGS = ("Reason", "Behavior", "Result")
"""Of the second level, on every page."""
