"""``custody``, and ``python -m custody``."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command that the process was started for, on the one system that custody knows.

    Elsewhere even loading the rest would fail, and not in words that help.
    """
    if sys.platform != "linux":
        sys.exit(
            f"error: custody runs on Linux only, and this is {sys.platform}\n"
            "  hint: use a Linux machine, a virtual one, or WSL 2"
        )
    from custody.cli.process import run

    run()


if __name__ == "__main__":
    main()
