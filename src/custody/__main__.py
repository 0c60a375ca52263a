"""``python -m custody``."""

from __future__ import annotations

from custody.cli.process import run

if __name__ == "__main__":
    run()
