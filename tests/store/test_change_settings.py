"""What a repository says about changes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import MalformedDocument
from custody.model.contracts.change_settings import ChangeSettings
from custody.store.change_settings import change_settings
from custody.store.root import Root


def read(folder: Path) -> ChangeSettings:
    with Root.open(str(folder)) as root:
        return change_settings(root)


def test_a_repository_need_not_say_anything(tmp_path: Path) -> None:
    assert read(tmp_path) == ChangeSettings()


def test_its_own_file_counts_before_the_projects(tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text('[project]\nname = "p"\n[tool.custody.change]\ndocuments = ["P.md"]\n')
    assert read(tmp_path) == ChangeSettings(slug="p", documents=("P.md",))
    (tmp_path / "custody.toml").write_text('agent = "codex"\n')
    assert read(tmp_path).documents == ("P.md",)
    (tmp_path / "custody.toml").write_text('[change]\nworkflows = ["flows/"]\n')
    assert read(tmp_path) == ChangeSettings(slug="p", workflows=("flows/",))


@pytest.mark.parametrize(
    "text", ["[change]\nslug = 1\n", "[change]\nslugs = 'x'\n", "change = 1\n", "[", "\xff"]
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "custody.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(MalformedDocument):
        read(tmp_path)


def test_a_link_that_leads_out_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "custody.toml").symlink_to("/etc/hostname")
    with pytest.raises(MalformedDocument):
        read(tmp_path)
