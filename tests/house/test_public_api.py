"""The public names are a list, and nothing else is public."""

from __future__ import annotations

from pathlib import Path

import custody


def test_every_public_name_is_documented(root: Path) -> None:
    page = (root / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    assert [name for name in public_names() if f"`{name}" not in page] == []


def public_names() -> list[str]:
    return list(getattr(custody, "__all__", []))
