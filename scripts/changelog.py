"""Gather the fragments of changelog.d/ on top of CHANGELOG.md: ``changelog.py VERSION DATE``."""

from __future__ import annotations

import re
import sys

import codebase

KINDS = ("added", "changed", "fixed", "removed", "security")
NAME = re.compile(rf"(?P<what>[a-z0-9-]+)\.(?P<kind>{'|'.join(KINDS)})\.md")
CHANGELOG = codebase.ROOT / "CHANGELOG.md"
FOLDER = codebase.ROOT / "changelog.d"


def section(version: str, date: str, fragments: dict[str, str]) -> str:
    """Return the text of one release, from its fragments by file name."""
    lines = [f"## {version} ({date})"]
    for kind in KINDS:
        texts = [
            " ".join(text.split())
            for name, text in sorted(fragments.items())
            if name.endswith(f".{kind}.md")
        ]
        if texts:
            lines += ["", f"### {kind.capitalize()}", "", *(f"- {text}" for text in texts)]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the release and delete its fragments."""
    version, date = sys.argv[1:]
    paths = [path for path in sorted(FOLDER.iterdir()) if NAME.fullmatch(path.name)]
    text = section(version, date, {path.name: path.read_text("utf-8") for path in paths})
    head, mark, rest = CHANGELOG.read_text("utf-8").partition("\n## ")
    CHANGELOG.write_text(f"{head.rstrip()}\n\n{text}{mark}{rest}", "utf-8")
    for path in paths:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
