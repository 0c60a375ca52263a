from __future__ import annotations

from pathlib import Path

import pytest

from custody.cli.config import setting
from custody.errors import MalformedDocument


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("CUSTODY_RUNSDIR", "CUSTODY_AGENT"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_the_first_that_says_something_wins(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert setting("runsdir", "") == ".custody/runs"
    (folder / "pyproject.toml").write_text('[tool.custody]\nrunsdir = "from pyproject"\n')
    assert setting("runsdir", "") == "from pyproject"
    (folder / "custody.toml").write_text('runsdir = "from custody"\n')
    assert setting("runsdir", "") == "from custody"
    monkeypatch.setenv("CUSTODY_RUNSDIR", "from the environment")
    assert setting("runsdir", "") == "from the environment"
    assert setting("runsdir", "from the flag") == "from the flag"


def test_a_file_may_say_one_thing_and_another_file_the_rest(folder: Path) -> None:
    (folder / "custody.toml").write_text('runsdir = "runs"\n')
    (folder / "pyproject.toml").write_text('[tool.custody]\nagent = "fake"\n')
    assert (setting("runsdir", ""), setting("agent", "")) == ("runs", "fake")


def test_a_project_without_settings_has_the_defaults(folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[project]\nname = "x"\n')
    assert setting("agent", "") == "stub"


def test_files_are_not_read_when_the_flag_decides(folder: Path) -> None:
    (folder / "custody.toml").write_text("this is no TOML")
    assert setting("agent", "fake") == "fake"


@pytest.mark.parametrize(
    ("file", "text", "code", "where"),
    [
        ("custody.toml", "this is no TOML", "toml", "custody.toml"),
        ("custody.toml", "agent = 3", "type", "custody.toml"),
        ("custody.toml", 'runs_dir = "x"', "key", "custody.toml"),
        ("custody.toml", b"agent = '\xff'", "toml", "custody.toml"),
        ("pyproject.toml", '[tool]\ncustody = "x"', "type", "pyproject.toml [tool.custody]"),
        ("pyproject.toml", "[tool.custody]\nagents = ''", "key", "pyproject.toml [tool.custody]"),
    ],
)
def test_a_wrong_file_is_an_error_that_says_where(
    folder: Path, file: str, text: str | bytes, code: str, where: str
) -> None:
    (folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(MalformedDocument) as caught:
        setting("agent", "")
    assert (caught.value.code, caught.value.where) == (code, where)
