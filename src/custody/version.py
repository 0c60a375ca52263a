"""The version of this package, here only."""

from __future__ import annotations

VERSION = "0.1.0"
