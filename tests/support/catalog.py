"""A repository that describes its one behavior."""

from __future__ import annotations

from pathlib import Path

MARK = "BEHAVIOR_" + "ID"
"""Written so that it is no marker here."""
PAGE = "# Greets\n\n## Reason\n\nx\n\n## Behavior\n\nx\n\n## Result\n\nx\n"


def put_catalog(folder: Path) -> None:
    """Write it."""
    catalog = folder / "docs/behaviors"
    catalog.mkdir(parents=True)
    (catalog / "INDEX.md").write_text("# Behaviors\n\n- [B001](B001-greets.md) greets\n")
    (catalog / "B001-greets.md").write_text(PAGE)
    (folder / "greet.py").write_text(f"print('hello')  # {MARK}: B001\n")
