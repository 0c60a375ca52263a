"""The agents' own programs, as ``make agents`` installs them."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent.parent / ".agents" / "node_modules" / ".bin"


def program(name: str) -> str:
    """Return the path of an agent's program; skips the test when it is not installed."""
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"{name} is not installed: `make agents` does it, with npm")
    return str(path)
