from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.cli import main
from custody.cli.config import entries, origin, setting, user_file
from custody.errors import MalformedDocument


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("CUSTODY_RUNSDIR", "CUSTODY_AGENT", "CUSTODY_CONFINEMENT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
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


@pytest.mark.req("E-05")
@pytest.mark.parametrize("name", ["logbook", "artifacts"])
def test_no_repository_says_where_evidence_is_kept(folder: Path, name: str) -> None:
    (folder / "custody.toml").write_text(f'{name} = "x"\n')
    with pytest.raises(MalformedDocument) as caught:
        setting(name, "")
    assert caught.value.code == "protection"


def test_an_address_is_shown_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUSTODY_LOGBOOK", "postgresql://me:secret@server/db")
    assert origin("logbook", "").shown().value == "postgresql://me:…@server/db"


def test_a_project_without_settings_has_the_defaults(folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[project]\nname = "x"\n')
    assert setting("agent", "") == ""


@pytest.mark.req("G-27")
@pytest.mark.parametrize("name", ["custody.toml", "pyproject.toml", "config/custody/custody.toml"])
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_is_not_passed_over(folder: Path, name: str, kind: str) -> None:
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    make = {"link": lambda: place.symlink_to("gone"), "pipe": lambda: os.mkfifo(place)}
    make.get(kind, place.mkdir)()
    for ask in (lambda: setting("confinement", ""), lambda: entries("exclude")):
        with pytest.raises(MalformedDocument, match="not a regular file"):
            ask()


def test_a_link_to_nothing_at_all_says_that_there_are_no_settings(folder: Path) -> None:
    (folder / "custody.toml").symlink_to("/dev/null")
    assert setting("agent", "") == ""


def test_files_are_not_read_when_the_flag_decides(folder: Path) -> None:
    (folder / "custody.toml").write_text("this is no TOML")
    assert setting("agent", "fake") == "fake"


@pytest.mark.parametrize(
    ("file", "text", "code", "where"),
    [
        ("custody.toml", "this is no TOML", "toml", "custody.toml"),
        ("custody.toml", "agent = 3", "type", "custody.toml"),
        ("custody.toml", r'agent = "\u001b[2J"', "type", "custody.toml"),
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


LOWERING = [
    ("confinement", "L1"),
    ("confinement", "L2"),
    ("confinement", "none"),
    ("runsdir", "/var/runs"),
    ("runsdir", "../runs"),
    ("runsdir", "a/../../runs"),
    ("runsdir", "link/runs"),
    ("workdir", "/"),
    ("workdir", "link"),
    ("pipeline", "../other.dot"),
]


@pytest.mark.req("G-07")
@pytest.mark.parametrize(("name", "value"), LOWERING)
@pytest.mark.parametrize("file", ["custody.toml", "pyproject.toml"])
def test_a_repository_lowers_nothing(folder: Path, file: str, name: str, value: str) -> None:
    table = "" if file == "custody.toml" else "[tool.custody]\n"
    (folder / "link").symlink_to("/usr")
    (folder / file).write_text(f'{table}{name} = "{value}"\n')
    with pytest.raises(MalformedDocument) as caught:
        setting(name, "")
    assert (caught.value.code, caught.value.where) == ("protection", file)
    assert f'`{name} = "{value}"` into {folder}/config/custody/custody.toml' in caught.value.hint
    assert setting(name, value) == value, "the flag decides"


@pytest.mark.req("G-07")
@pytest.mark.parametrize(("name", "value"), LOWERING)
def test_the_user_may_lower_it(folder: Path, name: str, value: str) -> None:
    own = folder / "config" / "custody" / "custody.toml"
    own.parent.mkdir(parents=True)
    own.write_text(f'{name} = "{value}"\n')
    assert origin(name, "") == (name, value, str(own))


@pytest.mark.req("G-07")
@pytest.mark.parametrize("link", [".custody", ".custody/runs"])
def test_a_link_of_the_repository_moves_no_runs(folder: Path, link: str) -> None:
    elsewhere = folder.parent / f"elsewhere-{folder.name}"
    elsewhere.mkdir()
    (folder / link).parent.mkdir(exist_ok=True)
    (folder / link).symlink_to(elsewhere)
    with pytest.raises(MalformedDocument) as caught:
        setting("runsdir", "")
    assert (caught.value.code, caught.value.where) == ("protection", ".custody/runs")
    assert setting("runsdir", ".custody/runs") == ".custody/runs", "the flag decides"
    own = folder / "config" / "custody" / "custody.toml"
    own.parent.mkdir(parents=True)
    own.write_text('runsdir = ".custody/runs"\n')
    assert setting("runsdir", "") == ".custody/runs"


def test_a_link_within_the_folder_is_followed(folder: Path) -> None:
    (folder / "kept").mkdir()
    (folder / ".custody").symlink_to("kept")
    assert setting("runsdir", "") == ".custody/runs"


def test_a_repository_may_raise_it_and_stands_before_the_user(folder: Path) -> None:
    own = folder / "config" / "custody" / "custody.toml"
    own.parent.mkdir(parents=True)
    own.write_text('confinement = "L2"\n')
    (folder / "custody.toml").write_text('confinement = "L3"\n')
    assert origin("confinement", "") == ("confinement", "L3", "custody.toml")


def test_a_folder_for_configuration_that_is_not_absolute_is_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "config")
    monkeypatch.setenv("HOME", str(folder / "home"))
    assert user_file() == f"{folder}/home/.config/custody/custody.toml"


@pytest.mark.req("G-07")
def test_a_run_is_refused_and_nothing_is_left(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "p.dot").write_text("digraph { a [shape=Mdiamond]; b [shape=Msquare]; a -> b }")
    (folder / "custody.toml").write_text('confinement = "L1"\n')
    assert main(["run", "p.dot"]) == 1
    assert "a repository cannot lower the confinement to L1" in capsys.readouterr().err
    assert not (folder / ".custody").exists()


@pytest.mark.req("G-07", "U-08", "U-15")
@pytest.mark.parametrize(
    "text",
    [
        'toolchains = ["/"]',
        "[agents.codex]\nlogin = true",
        '[web]\nsearch = "https://a.example/"',
        '[skills]\nlauncher = "srun"',
        '[skills.launchers."dsub-i"]\ncommand = ["./evil"]',
        '[skills.tools.innovus]\ncommand = ["./evil"]\nreach = ["evil.example:443"]',
    ],
)
def test_a_repository_allows_nothing(folder: Path, text: str) -> None:
    (folder / "custody.toml").write_text(text)
    with pytest.raises(MalformedDocument) as caught:
        setting("agent", "")
    assert user_file() in caught.value.hint
    own = Path(user_file())
    own.parent.mkdir(parents=True)
    own.write_text(f'agent = "fake"\n{text}')
    (folder / "custody.toml").unlink()
    assert setting("agent", "") == "fake"


@pytest.mark.req("U-14")
def test_a_list_is_taken_from_the_first_that_has_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUSTODY_EXCLUDE", raising=False)
    assert entries("exclude") == ()
    (folder / "pyproject.toml").write_text('[tool.custody]\nexclude = ["a/", "*.b"]\n')
    assert entries("exclude") == ("a/", "*.b")
    (folder / "custody.toml").write_text('exclude = ["c"]\n')
    assert entries("exclude") == ("c",)
    monkeypatch.setenv("CUSTODY_EXCLUDE", "x/:*.y")
    assert entries("exclude") == ("x/", "*.y")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('exclude = "a"', "must be a list"),
        ("exclude = [1]", "must hold strings"),
        ('exclude = ["a\\n"]', "holds a control character"),
    ],
)
def test_a_list_that_is_none(text: str, said: str, folder: Path) -> None:
    (folder / "custody.toml").write_text(text)
    with pytest.raises(MalformedDocument, match=said):
        entries("exclude")


def test_what_a_repository_says_of_changes_is_read_elsewhere(folder: Path) -> None:
    (folder / "custody.toml").write_text('agent = "fake"\n[change]\nslug = "x"\n')
    assert setting("agent", "") == "fake"
    own = Path(user_file())
    own.parent.mkdir(parents=True)
    own.write_text('[change]\nslug = "x"\n')
    (folder / "custody.toml").unlink()
    with pytest.raises(MalformedDocument, match="no setting named 'change'"):
        setting("agent", "")


def test_a_file_that_is_not_utf8_is_told_by_its_byte(folder: Path) -> None:
    (folder / "custody.toml").write_bytes(b"agent = '\xff'")
    with pytest.raises(MalformedDocument, match="byte 9 is not UTF-8"):
        setting("agent", "")
