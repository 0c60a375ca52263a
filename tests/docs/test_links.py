"""Every link of the documentation leads somewhere."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^(```+).*?^\1\s*$", re.MULTILINE | re.DOTALL)


def test_links_resolve(root: Path) -> None:
    broken = [
        f"{page.relative_to(root)}: {target}"
        for page in pages(root)
        for target in links(page)
        if not resolves(page, target)
    ]
    assert not broken, "\n".join(broken)


def test_every_page_can_be_reached(root: Path) -> None:
    """From the README, by links alone."""
    seen: set[Path] = set()
    waiting = [root / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in seen and page.suffix == ".md" and page.exists():
            seen.add(page)
            waiting.extend((page.parent / target).resolve() for target in files_linked(page))
    assert [page for page in pages(root / "docs") if page.resolve() not in seen] == []


@pytest.mark.parametrize(
    ("title", "anchor"),
    [("The line", "the-line"), ("`run` · go on", "run--go-on"), ("What's new?", "whats-new")],
)
def test_anchors_are_made_as_github_does(title: str, anchor: str) -> None:
    assert anchor_of(title) == anchor


def pages(root: Path) -> list[Path]:
    if not (root / ".git").exists():  # an unpacked sdist
        return [path for path in root.rglob("*.md") if not _is_installed(path.relative_to(root))]
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=root, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [path for line in listed.stdout.splitlines() if (path := root / line).exists()]


def _is_installed(path: Path) -> bool:
    """Whether a path lies in a folder that make fills."""
    return any(part.startswith(".") for part in path.parts)


def links(page: Path) -> list[str]:
    return LINK.findall(FENCE.sub("", page.read_text("utf-8")))


def files_linked(page: Path) -> list[str]:
    paths = (target.partition("#")[0] for target in links(page) if "://" not in target)
    return [path for path in paths if path]


def resolves(page: Path, target: str) -> bool:
    if "://" in target or target.startswith("mailto:"):
        return True
    path, _, anchor = target.partition("#")
    there = page.parent / path if path else page
    if not there.exists():
        return False
    return not anchor or anchor in anchors(there)


def anchors(page: Path) -> set[str]:
    text = FENCE.sub("", page.read_text("utf-8"))
    return {anchor_of(title) for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def anchor_of(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
