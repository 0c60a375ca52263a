"""Which launcher is used, and what its command line is, is said by the user alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import MalformedDocument, UsageError
from custody.model.own_settings import OwnLauncher, OwnSkills
from custody.model.session import SessionKind
from custody.skills.launchers import Launcher, choose, find, known
from custody.store.own_settings import own_settings

NOTHING = OwnSkills()
KIND = SessionKind(name="tool", argv=("tclsh",))
CONFIG = """
[skills]
launcher = "mine"

[skills.tools.innovus]
command = ["innovus", "-no_gui", "-init"]
readable = ["/opt/pdk"]
reach = ["licenses.example:5280"]
passed = ["LM_LICENSE_FILE"]

[skills.launchers."dsub-i"]
command = ["dsub-i", "-q", "big jobs"]

[skills.launchers.mine]
command = ["/opt/farm/go"]
through_shell = true
"""


def program(folder: Path, name: str) -> str:
    """Put a program into a folder."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return str(file)


def named(launchers: tuple[Launcher, ...], name: str) -> Launcher:
    return next(one for one in launchers if one.name == name)


@pytest.mark.req("S-17")
def test_each_has_a_line_that_starts_a_session() -> None:
    started = {one.name: one.starts(KIND) for one in known(NOTHING, {})}
    assert list(started) == ["local", "dsub-i", "srun", "bsub", "qrsh"]
    assert started["local"] == KIND
    assert started["dsub-i"].launcher == ("dsub-i",)
    assert started["srun"].launcher[:2] == ("srun", "--ntasks=1")
    for name in ("dsub-i", "srun", "bsub", "qrsh"):
        assert started[name].launcher_stays
        assert started[name].launcher_shell is (name in {"bsub", "qrsh"})
        assert started[name].argv == KIND.argv


@pytest.mark.req("G-07")
def test_the_user_says_what_a_line_is(tmp_path: Path) -> None:
    file = tmp_path / "custody" / "custody.toml"
    file.parent.mkdir()
    file.write_text(CONFIG)
    environment = {"XDG_CONFIG_HOME": str(tmp_path), "PATH": "/usr/bin"}
    own = own_settings(environment).skills
    found = known(own, environment)
    dsub = named(found, "dsub-i")
    assert (dsub.command, dsub.stays, dsub.through_shell) == (
        ("dsub-i", "-q", "big jobs"),
        True,
        False,
    )
    assert dsub.origin == str(file)
    assert named(found, "mine") == Launcher(
        "mine",
        "One of yours.",
        ("/opt/farm/go",),
        stays=False,
        through_shell=True,
        origin=str(file),
    )
    assert choose("", own, environment).name == "mine"
    assert own.tools["innovus"].reach == ("licenses.example:5280",)


@pytest.mark.parametrize("prefix", ["CUSTODY", "SKILLPILOT"])
def test_a_variable_stands_before_the_file(prefix: str) -> None:
    own = OwnSkills(launcher="local", launchers={"dsub-i": OwnLauncher(command=("a",))})
    environment = {f"{prefix}_LAUNCHER": "dsub-i", f"{prefix}_LAUNCHER_DSUB_I": "b -q 'c d'"}
    chosen = choose("", own, environment)
    assert (chosen.name, chosen.command) == ("dsub-i", ("b", "-q", "c d"))
    assert chosen.origin == f"{prefix}_LAUNCHER_DSUB_I"
    assert choose("srun", own, environment).name == "srun", "the command line stands before both"


def test_custodys_variable_stands_before_the_older_name() -> None:
    environment = {"SKILLPILOT_LAUNCHER": "srun", "CUSTODY_LAUNCHER": "bsub"}
    assert choose("", NOTHING, environment).name == "bsub"


def test_what_is_used_where_nothing_is_said(tmp_path: Path) -> None:
    path = f"{tmp_path / 'empty'}::{tmp_path / 'bin'}"
    assert choose("", NOTHING, {"PATH": path}).name == "local"
    file = program(tmp_path / "bin", "dsub-i")
    chosen = choose("", NOTHING, {"PATH": path})
    assert (chosen.name, find(chosen.command, {"PATH": path})) == ("dsub-i", file)


def test_where_a_program_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = program(tmp_path, "go")
    monkeypatch.chdir(tmp_path)
    assert find((file,), {}) == file
    assert find(("go", "on"), {"PATH": f"/nowhere:{tmp_path}"}) == file
    assert find(("go",), {"PATH": "::."}) == "", "where one is counts nothing"
    assert find((str(tmp_path),), {}) == ""
    assert find((), {"PATH": str(tmp_path)}) == ""


@pytest.mark.parametrize(("name", "hint"), [("dsub", "'dsub-i'?"), ("xyz", "known: local, ")])
def test_one_that_nobody_knows(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match=f"no launcher named '{name}'") as caught:
        choose(name, NOTHING, {})
    assert hint in caught.value.hint


@pytest.mark.req("G-07")
@pytest.mark.parametrize(
    ("own", "environment"),
    [
        ({"dsub-i": ("./go",)}, {}),
        ({"x": ("bin/go",)}, {}),
        ({"-x": ("go",)}, {}),
        ({"a b": ("go",)}, {}),
        ({"": ("go",)}, {}),
        ({}, {"CUSTODY_LAUNCHER_SRUN": "bin/go"}),
        ({}, {"CUSTODY_LAUNCHER_SRUN": "go 'open"}),
    ],
)
def test_a_line_that_cannot_be_meant(
    own: dict[str, tuple[str, ...]], environment: dict[str, str]
) -> None:
    launchers = {name: OwnLauncher(command=command) for name, command in own.items()}
    with pytest.raises(MalformedDocument):
        known(OwnSkills(launchers=launchers), environment)
