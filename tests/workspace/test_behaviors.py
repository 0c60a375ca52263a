"""The survey of a repository: what is there, in order, and nothing is followed out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.model.contracts.survey import (
    DeclaredEvidence,
    IndexEntry,
    Marker,
    Page,
    PassedOver,
    Survey,
)
from custody.model.record import encode
from custody.store.root import Root
from custody.workspace.behaviors import FILE_LIMIT, survey

pytestmark = pytest.mark.req("C-17")
MARK = "BEHAVIOR_" + "ID"


def look(folder: Path, *evidence: str) -> Survey:
    with Root.open(str(folder)) as root:
        return survey(root, evidence)


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_everything_that_is_found(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "src/b.py": f"# {MARK}: B002\n",
            "src/a.py": f"x = 1  # {MARK}: B001\n\n/* {MARK}:B002 */ {MARK}: B3\n",
            "docs/behaviors/INDEX.md": "# Index of B009\n\n- [B001](B001-greets.md) greets\n"
            "| B002 | [page](./B002-leaves.md#x) |\n* B003 has none\n```\n- [B004](x)\n```\n",
            "docs/behaviors/B001-greets.md": "# B001\n## Reason\n## Behavior ##\n```\n## No\n```\n",
            "docs/behaviors/notes.md": f"{MARK}: B005\n",
            "README.md": f"{MARK}: B006\n",
        },
    )
    found = look(tmp_path, "src/a.py", "src/", "gone", "../up")
    assert found == Survey(
        files=6,
        markers=(
            Marker(id="B001", path="src/a.py", line=1),
            Marker(id="B002", path="src/a.py", line=3),
            Marker(id="B3", path="src/a.py", line=3),
            Marker(id="B002", path="src/b.py", line=1),
        ),
        index=True,
        entries=(
            IndexEntry(id="B001", page="docs/behaviors/B001-greets.md", line=3),
            IndexEntry(id="B002", page="docs/behaviors/B002-leaves.md", line=4),
            IndexEntry(id="B003", page="", line=5),
        ),
        pages=(
            Page(
                id="B001",
                path="docs/behaviors/B001-greets.md",
                headings=("Reason", "Behavior"),
            ),
            Page(id="", path="docs/behaviors/notes.md"),
        ),
        evidence=(
            DeclaredEvidence(path="../up", exists=False),
            DeclaredEvidence(path="gone", exists=False),
            DeclaredEvidence(path="src/", exists=True),
            DeclaredEvidence(path="src/a.py", exists=True),
        ),
    )
    assert encode(look(tmp_path)) == encode(look(tmp_path))


def test_what_is_not_looked_into(tmp_path: Path) -> None:
    text = f"{MARK}: B001\n"
    put(tmp_path, {f"{name}/x.py": text for name in (".git", "build", "a/node_modules", ".venv")})
    outside = tmp_path / "build/x.py"
    (tmp_path / "link.py").symlink_to(outside)
    (tmp_path / "folder").symlink_to(tmp_path / "build")
    (tmp_path / "large.py").write_text(text + "x" * FILE_LIMIT)
    os.mkfifo(tmp_path / "pipe")
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.py"))).write_text(text)
    os.link(outside, tmp_path / "twice.py")
    found = look(tmp_path, "link.py", "folder/x.py")
    assert [marker.path for marker in found.markers] == ["twice.py"]
    assert set(found.passed) == {
        PassedOver(path="folder", reason="symlink"),
        PassedOver(path="large.py", reason="too_large"),
        PassedOver(path="link.py", reason="symlink"),
        PassedOver(path="pipe", reason="not_regular"),
        PassedOver(path="\\xff.py", reason="name"),
    }
    assert [each.exists for each in found.evidence] == [False, False]


def test_odd_markers(tmp_path: Path) -> None:
    put(tmp_path, {"a.py": f"{MARK}: B001x {MARK}: B{'1' * 99} {MARK}: C001 {MARK}: B002,"})
    assert [marker.id for marker in look(tmp_path).markers] == ["B" + "1" * 12, "B002"]


def test_nothing_is_there(tmp_path: Path) -> None:
    assert look(tmp_path) == Survey()
