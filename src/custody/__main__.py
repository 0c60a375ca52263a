"""``python -m custody``."""

from __future__ import annotations

import sys

from custody.cli import main

if __name__ == "__main__":
    sys.exit(main())
