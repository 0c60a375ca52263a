"""Makes the benchmarks importable: they are a program of the repository, never installed."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))
