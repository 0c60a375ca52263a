from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from custody.sandbox.environment import (
    CACHES,
    FIXED,
    PASSED,
    PASSED_PREFIX,
    base_environment,
    command_environment,
    find_program,
    make_caches,
    path_beside,
    stage_environment,
)

SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "s1",
    "GITHUB_TOKEN": "s2",
    "ANTHROPIC_API_KEY": "s3",
    "SSH_AUTH_SOCK": "s4",
    "LD_PRELOAD": "s5",
    "PYTHONPATH": "s6",
    "BASH_ENV": "s7",
    "GIT_CONFIG_PARAMETERS": "s8",
    "https_proxy": "http://user:s9@proxy",
}


def staged(base: dict[str, str], cache: str = "/run/cache") -> dict[str, str]:
    return stage_environment(
        base, run_dir="/run", node="build", stage_dir="/run/nodes/build/1.1", cache_dir=cache
    )


def test_nothing_but_the_allowlist_is_passed_on() -> None:
    parent = {**SECRETS, "HOME": "/home/me", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": "/bin"}
    base = base_environment(parent)
    assert base["HOME"] == "/home/me"
    assert base["LC_ALL"] == "C.UTF-8"
    assert not set(base) & set(SECRETS)
    assert not set(base.values()) & set(SECRETS.values())


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1), st.text()))
def test_no_parent_adds_a_name_of_its_own(parent: dict[str, str]) -> None:
    added = {name for name in base_environment(parent) if not name.startswith(PASSED_PREFIX)}
    assert added <= {*PASSED, *FIXED, "PATH"}


def test_path_is_absolute_only() -> None:
    assert base_environment({"PATH": ".:/usr/bin::bin:/bin"})["PATH"] == "/usr/bin:/bin"
    assert base_environment({"PATH": "."})["PATH"] == "/usr/local/bin:/usr/bin:/bin"
    assert base_environment({})["PATH"] == "/usr/local/bin:/usr/bin:/bin"


@pytest.mark.req("G-01")
def test_path_names_no_folder_of_a_process() -> None:
    own = "/proc/self/cwd/bin:/dev/fd/3/bin:/bin/../proc/1/root:/usr/bin"
    assert base_environment({"PATH": own})["PATH"] == "/usr/bin"


@pytest.mark.req("G-01")
def test_a_path_beside_a_folder_leads_nowhere_into_it(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    (inside / "venv" / "bin").mkdir(parents=True)
    (inside / "bin").mkdir()
    (tmp_path / "link").symlink_to(inside / "bin")
    (tmp_path / "way").symlink_to(inside)
    names = ("inside", "inside/", "inside/bin", "link", "way/bin", "x/../inside/bin")
    entries = [f"{tmp_path}/{name}" for name in names]
    beside = [f"{tmp_path}/inside2", f"{inside}/venv/bin"]
    path = ":".join([*entries, *beside])
    tools = (f"{inside}/venv",)
    assert path_beside(path, (str(inside),), tools) == ":".join(beside)
    assert path_beside(path, (str(tmp_path / "way"),), tools) == ":".join(beside)
    assert path_beside(":".join(entries), (str(inside),)) == "/usr/local/bin:/usr/bin:/bin"


@pytest.mark.req("P-21")
def test_caches_lie_below_the_cache_directory(tmp_path: Path) -> None:
    cache = str(tmp_path / "Bob's cache")
    make_caches(cache)
    environment = staged(base_environment(os.environ), cache)
    assert all(environment[name].startswith(f"{cache}/") for name in CACHES)
    assert {"GOCACHE", "XDG_CACHE_HOME", "PIP_CACHE_DIR", "npm_config_cache", "TMPDIR"} <= set(
        CACHES
    )
    assert os.path.isdir(environment["TMPDIR"])
    assert shlex.split(environment["PYTEST_ADDOPTS"]) == ["-o", f"cache_dir={cache}/pytest"]


@pytest.mark.parametrize("name", ["cache", "cache/tmp"])
@pytest.mark.parametrize("put", ["x > {0}", "ln -s {0} {0}", "ln -s / {0}", "mkfifo {0}"])
def test_what_a_program_put_in_their_place_goes(tmp_path: Path, name: str, put: str) -> None:
    make_caches(str(tmp_path / "cache"))
    subprocess.run(["sh", "-c", f"rm -r {name}; {put.format(name)}"], cwd=tmp_path, check=False)
    assert not (tmp_path / name).is_dir() or (tmp_path / name).is_symlink()
    make_caches(str(tmp_path / "cache"))
    assert (tmp_path / "cache" / "tmp").is_dir()
    assert not (tmp_path / name).is_symlink()


def test_a_stage_knows_where_it_is() -> None:
    environment = staged({"PATH": "/bin"})
    assert environment["CUSTODY_RUN_DIR"] == "/run"
    assert environment["CUSTODY_NODE_ID"] == "build"
    assert environment["CUSTODY_STAGE_DIR"] == "/run/nodes/build/1.1"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("$PWD/.gocache", "/ws/agent/.gocache"),
        ("${PWD}x", "/ws/agentx"),
        ("$PWDX", "$PWDX"),
        ("$HOME", "$HOME"),
        ("a\\1", "a\\1"),
    ],
)
def test_only_the_working_directory_is_filled_in(written: str, meant: str) -> None:
    environment = command_environment({"GOCACHE": "/c"}, {"GOCACHE": written}, "/ws/agent")
    assert environment == {"GOCACHE": meant, "PWD": "/ws/agent"}


def program(folder: Path, name: str = "tool", mode: int = 0o755) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(mode)
    return file


def test_a_name_means_the_first_program_on_the_path(tmp_path: Path) -> None:
    program(tmp_path / "one", mode=0o644)
    (tmp_path / "two" / "tool").mkdir(parents=True)
    found = program(tmp_path / "three")
    path = ":".join(str(tmp_path / name) for name in ("zero", "one", "two", "three"))
    (tmp_path / "workspace").mkdir()
    assert find_program("tool", path, str(tmp_path / "workspace")) == str(found)
    assert find_program("toolx", path, str(tmp_path / "workspace")) is None
    assert find_program("", path, str(tmp_path / "workspace")) is None
    assert find_program("a\0b", path, str(tmp_path / "workspace")) is None


def test_a_name_never_means_a_file_of_the_workspace(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    inside = program(workspace / "bin")
    (tmp_path / "bin").symlink_to(workspace / "bin")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "tool").symlink_to(inside)
    path = f"{workspace}/bin:{tmp_path}/bin:{tmp_path}/links"
    assert find_program("tool", path, str(workspace)) is None
    assert find_program("./bin/tool", path, str(workspace)) == "./bin/tool"


@pytest.mark.req("G-28")
def test_programs_of_rustup_are_told_where_their_toolchains_are() -> None:
    parent = {"HOME": "/home/a", "PATH": "/home/a/.cargo/bin:/usr/bin"}
    assert base_environment(parent)["RUSTUP_HOME"] == "/home/a/.rustup"
    assert base_environment({**parent, "RUSTUP_HOME": "/opt/r"})["RUSTUP_HOME"] == "/opt/r"
    assert "RUSTUP_HOME" not in base_environment({**parent, "PATH": "/usr/bin"})


def test_a_value_with_a_control_character_is_not_passed_on() -> None:
    assert "LANG" not in base_environment({"LANG": "C\nLD_PRELOAD=x"})
    assert base_environment({"LANG": "C"})["LANG"] == "C"


def test_a_folder_of_programs_that_is_not_utf8_is_left_out() -> None:
    path = os.fsdecode(b"/usr/bin:/opt/caf\xe9/bin:/opt/caf\xc3\xa9/bin")
    assert base_environment({"PATH": path})["PATH"] == "/usr/bin:/opt/café/bin"
