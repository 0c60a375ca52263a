"""Print what pip must keep to, so that the oldest releases are installed that custody allows."""

from __future__ import annotations

import re
import tomllib

import codebase


def constraints() -> list[str]:
    """Return each requirement of custody, at its lower bound."""
    project = tomllib.loads((codebase.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    needed = {*project["dependencies"], *(each for extra in extras for each in extra)}
    return [re.sub(r"\[.*\]", "", each).replace(">=", "==") for each in sorted(needed)]


if __name__ == "__main__":
    print("\n".join(constraints()))
