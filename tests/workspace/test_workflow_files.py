"""The pipelines that a repository offers as workflows."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.store.root import Root
from custody.workspace import workflow_files as module
from custody.workspace.workflow_files import workflow_files


def find(folder: Path, *named: str) -> dict[str, bytes | str]:
    with Root.open(str(folder)) as root:
        return workflow_files(root, named)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name in ("workflows/b.dot", "workflows/a.dot", "workflows/notes.md", "ci/release.dot"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def test_a_folder_of_that_name_is_looked_into(repository: Path, tmp_path: Path) -> None:
    assert find(repository) == {
        "workflows/a.dot": b"workflows/a.dot",
        "workflows/b.dot": b"workflows/b.dot",
    }
    assert find(tmp_path / "ci") == {}


def test_a_repository_may_name_others(repository: Path) -> None:
    assert list(find(repository, "ci/release.dot", "workflows/")) == [
        "ci/release.dot",
        "workflows/a.dot",
        "workflows/b.dot",
    ]


def test_what_is_named_and_cannot_be_read_is_told(repository: Path) -> None:
    (repository / "link.dot").symlink_to("/etc/hostname")
    found = find(repository, "nowhere.dot", "link.dot", "../x.dot")
    assert found["nowhere.dot"] == "there is no such file"
    assert "symlink" in str(found["link.dot"])
    assert "is refused" in str(found["../x.dot"])


def test_there_is_an_end_to_it(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 1)
    assert list(find(repository)) == ["workflows/a.dot"]
