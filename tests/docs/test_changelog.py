"""Fragments can be gathered."""

from __future__ import annotations

from pathlib import Path

import changelog


def test_every_fragment_has_a_known_kind(root: Path) -> None:
    names = [path.name for path in (root / "changelog.d").iterdir() if path.name != "README.md"]
    assert [name for name in names if not changelog.NAME.fullmatch(name)] == []


def test_fragments_become_one_section() -> None:
    fragments = {"b.fixed.md": "No more\nleaks.\n", "a.fixed.md": "One.\n", "c.added.md": "New.\n"}
    assert changelog.section("0.2.0", "2026-01-31", fragments) == (
        "## 0.2.0 (2026-01-31)\n\n### Added\n\n- New.\n\n### Fixed\n\n- One.\n- No more leaks.\n"
    )
