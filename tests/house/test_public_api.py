"""The public names are a list, and nothing else is public."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import custody


def test_every_public_name_is_there() -> None:
    names = public_names()
    assert names == sorted(names), "keep __all__ in order"
    assert [name for name in names if not hasattr(custody, name)] == []


def test_every_public_name_is_documented(root: Path) -> None:
    page = (root / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    assert [name for name in public_names() if f"`{name}" not in page] == []


def test_every_error_type_is_its_own() -> None:
    from custody.errors import CustodyError

    kinds = [CustodyError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    types = [kind.error_type for kind in kinds]
    assert len(set(types)) == len(types)


def test_start_up_loads_nothing_heavy() -> None:
    """What only some commands need is loaded by them."""
    heavy = {"asyncio", "difflib", "http", "lark", "multiprocessing", "rich", "shtab", "ssl"}
    code = "import sys, custody.cli; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert heavy & set(done.stdout.split()) == set()


def public_names() -> list[str]:
    return list(getattr(custody, "__all__", []))
