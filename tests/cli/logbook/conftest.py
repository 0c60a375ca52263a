"""Somebody with a logbook of his own."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.shell import Here


@pytest.fixture
def user(tmp_path: Path) -> Here:
    """Return the command line of somebody whose data are nobody else's."""
    here = Here(tmp_path)
    here.environment |= {
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    return here
