"""Programs from outside that a few tests need, which `make system` installs where it can."""

from __future__ import annotations

import shutil

import pytest


def needs(program: str) -> pytest.MarkDecorator:
    """Skip a test, with the reason, where a program is not installed."""
    missing = shutil.which(program) is None
    return pytest.mark.skipif(missing, reason=f"{program} is not installed")
