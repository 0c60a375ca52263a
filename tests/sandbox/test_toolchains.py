"""A folder on PATH is shown with what its programs need, and nothing that lies beside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from custody.errors import UsageError
from custody.sandbox.toolchains import LAYOUTS, Layout, toolchains
from support.sandboxes import CONFINED, Site


def make(top: Path, *names: str) -> None:
    """Make files, and folders by a slash at their end."""
    for name in names:
        path = top / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_text("#!/bin/sh\necho ran\n")
            path.chmod(0o755)


def shown(top: Path, *path: str, source: str = "", runs: str = "", **more: str) -> list[str]:
    """Return what is shown below a folder, for folders on PATH and other variables."""
    environment = {"HOME": f"{top}/home", "PATH": ":".join(f"{top}/{p}" for p in path), **more}
    found = toolchains(environment, source=source, runs=runs)
    return [name.removeprefix(f"{top}/") for name in found]


@pytest.mark.req("G-06")
def test_what_lies_beside_a_folder_on_path_is_not_shown(tmp_path: Path) -> None:
    make(tmp_path, "project/bin/tool", "project/.env", "project/lib/x", "home/bin/", "plain/x")
    assert shown(tmp_path, "project/bin/", "home/bin", "plain", "missing/bin", "home") == [
        "home/bin",
        "plain",
        "project/bin",
    ]


def test_relative_and_empty_entries_and_the_system_are_left_out() -> None:
    assert toolchains({"PATH": "/usr/bin:/bin::relative/bin:/"}) == ()
    assert toolchains({"HOME": "/", "PATH": "/"}) == ()


@pytest.mark.req("G-06")
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.mark)
def test_a_toolchain_is_known_by_its_mark(tmp_path: Path, layout: Layout) -> None:
    make(tmp_path, "chain/bin/x", f"chain/{layout.mark}", "chain/private.txt")
    found = shown(tmp_path, "chain/bin")
    if not layout.parts:
        assert found == ["chain"]
    else:
        assert "chain/bin" in found
        assert {name.removeprefix("chain/") for name in found} <= set(layout.parts)


@pytest.mark.req("G-06")
def test_an_interpreter_and_the_environments_made_by_it_are_shown(tmp_path: Path) -> None:
    make(tmp_path, "python/3.11/bin/python3", "python/3.11/lib/python3.11/os.py", "python/notes")
    make(tmp_path, "venv/bin/x", "venv/lib/", "venv/notes")
    (tmp_path / "venv" / "pyvenv.cfg").write_text(f"home = {tmp_path}/python/3.11/bin\nx = 1\n")
    venv = ["venv/bin", "venv/lib", "venv/pyvenv.cfg"]
    base = ["python/3.11/bin", "python/3.11/lib"]
    assert shown(tmp_path, "venv/bin") == base + venv
    assert shown(tmp_path, VIRTUAL_ENV=f"{tmp_path}/venv") == base + venv
    assert shown(tmp_path, JAVA_HOME=f"{tmp_path}/python") == []


@pytest.mark.req("G-06")
def test_of_the_source_only_installed_packages_are_shown(tmp_path: Path) -> None:
    make(tmp_path, "source/bin/x", "source/.venv/bin/x", "source/.venv/pyvenv.cfg", "source/lib/x")
    make(tmp_path, "source/node_modules/.bin/x", "source/pyvenv.cfg")
    found = shown(
        tmp_path, "source/bin", "source/.venv/bin", "source/node_modules/.bin", "source",
        source=f"{tmp_path}/source",
    )  # fmt: skip
    assert found == ["source/.venv/bin", "source/.venv/pyvenv.cfg", "source/node_modules"]


@pytest.mark.req("G-06")
@pytest.mark.parametrize("name", ["home", "source", "runs", "runs/one", "."])
def test_a_link_on_path_leads_to_nothing_private(tmp_path: Path, name: str) -> None:
    make(tmp_path, "home/x", "source/x", "runs/one/x")
    (tmp_path / "link").symlink_to(tmp_path / name)
    source, runs, link = (f"{tmp_path}/{it}" for it in ("source", "runs", "link"))
    assert shown(tmp_path, "link", source=source, runs=runs) == []
    home = {"HOME": f"{tmp_path}/home", "PATH": ""}
    with pytest.raises(UsageError, match="cannot be shown"):
        toolchains(home, source=source, runs=runs, named=(link,))


@pytest.mark.req("G-06")
@pytest.mark.parametrize("name", ["/", "/dev", "/dev/fd", "/etc", "/proc/self", "/sys", "/var"])
def test_folders_of_the_machine_are_no_toolchains(tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to(name)
    assert toolchains({"HOME": "/home/x", "PATH": f"{name}:{tmp_path}/link"}) == ()


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="nothing can be kept in memory")
def test_programs_that_lie_in_memory_are_shown() -> None:
    with TemporaryDirectory(dir="/dev/shm") as folder:
        make(Path(folder), "bin/tool")
        assert toolchains({"HOME": "/home/x", "PATH": f"{folder}/bin"}) == (f"{folder}/bin",)


@pytest.mark.req("G-06")
def test_a_repository_does_not_choose_what_is_shown(tmp_path: Path) -> None:
    """Of folders on PATH, too: they may be links, or an environment that names anything."""
    make(tmp_path, "keys/x", "source/.venv/lib/", "source/.venv/bin/x")
    for link in ("bin", ".venv/share", "node_modules"):
        (tmp_path / "source" / link).symlink_to(tmp_path / "keys")
    (tmp_path / "source" / ".venv" / "pyvenv.cfg").write_text(f"home = {tmp_path}/keys\n")
    on_path = ("source/bin", "source/.venv/bin", "source/node_modules/.bin")
    assert shown(tmp_path, *on_path, source=f"{tmp_path}/source") == [
        "source/.venv/bin",
        "source/.venv/lib",
        "source/.venv/pyvenv.cfg",
    ]


@pytest.mark.req("G-28")
def test_an_environment_that_the_source_links_to_is_shown_where_it_is(tmp_path: Path) -> None:
    make(tmp_path, "python/bin/python3", "python/lib/python3.11/os.py", "venvs/x/bin/x", "source/x")
    (tmp_path / "venvs" / "x" / "pyvenv.cfg").write_text(f"home = {tmp_path}/python/bin\n")
    (tmp_path / "source" / ".venv").symlink_to(tmp_path / "venvs" / "x")
    assert shown(tmp_path, "source/.venv/bin", source=f"{tmp_path}/source") == [
        "python/bin",
        "python/lib",
        "venvs/x/bin",
        "venvs/x/pyvenv.cfg",
    ]


@pytest.mark.req("G-06")
def test_nothing_of_the_runs_is_shown(tmp_path: Path) -> None:
    make(tmp_path, "runs/one/workspace/bin/x", "runs/one/venv/bin/x", "runs/one/venv/pyvenv.cfg")
    path = ("runs/one/workspace/bin", "runs/one/venv/bin", "runs", "")
    assert shown(tmp_path, *path, runs=f"{tmp_path}/runs") == []


@pytest.mark.req("G-28")
def test_a_store_is_shown_as_a_whole(tmp_path: Path) -> None:
    tool, profile = (f"store/{letter * 32}-{name}" for letter, name in (("a", "x"), ("b", "env")))
    make(tmp_path, f"{tool}/bin/x", f"{profile}/bin/", "home/")
    (tmp_path / profile / "bin" / "x").symlink_to(tmp_path / tool / "bin" / "x")
    (tmp_path / "home" / ".profile").symlink_to(tmp_path / profile)
    assert shown(tmp_path, "home/.profile/bin") == ["home/.profile", "store"]


@pytest.mark.req("G-28")
def test_links_out_of_path_are_followed_to_the_file(tmp_path: Path) -> None:
    make(tmp_path, "apps/v2/tool", "apps/v2/secret", "home/.local/bin/", "mods/node_modules/a/a.js")
    (tmp_path / "apps" / "current").symlink_to("v2")
    links = tmp_path / "home" / ".local" / "bin"
    (links / "tool").symlink_to(tmp_path / "apps" / "current" / "tool")
    (links / "a").symlink_to(tmp_path / "mods" / "node_modules" / "a" / "a.js")
    (links / "lost").symlink_to("/nowhere/at/all")
    assert shown(tmp_path, "home/.local/bin") == [
        "apps/current/tool",
        "apps/v2/tool",
        "home/.local/bin",
        "mods/node_modules",
    ]


@pytest.mark.req("G-06")
def test_links_to_anything_but_a_program_are_not_followed(tmp_path: Path) -> None:
    make(tmp_path, "project/.env", "project/run", "bin/", "home/")
    (tmp_path / "project" / ".env").chmod(0o600)
    for name, target in (("project", "project"), ("env", "project/.env"), ("home", "home")):
        (tmp_path / "bin" / name).symlink_to(tmp_path / target)
    (tmp_path / "bin" / "run").symlink_to(tmp_path / "project" / "run")
    assert shown(tmp_path, "bin") == ["bin", "project/run"]


@pytest.mark.req("G-28")
def test_the_toolchains_of_rustup_are_shown_and_no_password_of_cargo(tmp_path: Path) -> None:
    make(tmp_path, "home/.cargo/bin/rustup", "home/.cargo/credentials.toml")
    make(tmp_path, "home/.rustup/toolchains/stable/bin/cargo", "home/.rustup/settings.toml")
    found = shown(tmp_path, "home/.cargo/bin", RUSTUP_HOME=f"{tmp_path}/home/.rustup")
    assert found == [
        "home/.cargo/bin",
        "home/.rustup/settings.toml",
        "home/.rustup/toolchains",
    ]


def test_a_program_that_is_named_is_shown(tmp_path: Path) -> None:
    make(tmp_path, "home/run.sh", "apps/tool/run", "apps/tool/other")
    environment = {"HOME": f"{tmp_path}/home", "PATH": "/usr/bin"}
    named = (f"{tmp_path}/home/run.sh", f"{tmp_path}/apps/tool/run", "sh", "missing", "/missing")
    assert toolchains(environment, named) == (
        f"{tmp_path}/apps/tool/run",
        f"{tmp_path}/home/run.sh",
    )


@pytest.mark.req("G-28")
@pytest.mark.parametrize("level", CONFINED)
def test_programs_behind_links_run(site: Site, level: str) -> None:
    top = site.home.parent
    tool = f"store/{'c' * 32}-tool"
    make(top, f"{tool}/bin/stored", f"{tool}/lib/part", "apps/v1/linked", "home/.local/bin/")
    (top / tool / "bin" / "stored").write_text('#!/bin/sh\n. "$(dirname "$0")/../lib/part"\n')
    (top / "apps" / "current").symlink_to("v1")
    links = site.home / ".local" / "bin"
    (links / "linked").symlink_to(top / "apps" / "current" / "linked")
    (top / "profile").symlink_to(top / tool)
    site.environment["PATH"] = f"{links}:{top}/profile/bin:{site.environment['PATH']}"
    for name in ("linked", "stored"):
        ran = site.run(site.confinement(level), name)
        assert ran.stdout == "ran\n", ran


@pytest.mark.req("G-28")
@pytest.mark.parametrize("level", CONFINED)
def test_programs_of_rustup_find_their_toolchains(site: Site, level: str) -> None:
    make(site.home, ".cargo/bin/rustup", ".rustup/settings.toml")
    make(site.home, ".rustup/toolchains/stable/bin/cargo", ".rustup/toolchains/stable/lib/rustlib/")
    proxy = site.home / ".cargo" / "bin" / "rustup"
    proxy.write_text('#!/bin/sh\nexec "$RUSTUP_HOME/toolchains/stable/bin/cargo"\n')
    (proxy.parent / "cargo").symlink_to("rustup")
    site.environment["PATH"] = f"{proxy.parent}:{site.environment['PATH']}"
    site.environment["RUSTUP_HOME"] = f"{site.home}/.rustup"
    assert site.run(site.confinement(level), "cargo").stdout == "ran\n"


@pytest.mark.parametrize("level", CONFINED)
def test_an_environment_in_the_source_can_be_used(site: Site, level: str) -> None:
    source = site.home / "source"
    make(source, "secret.txt", ".venv/bin/")
    behind = Path(sys.executable).resolve()
    (source / ".venv" / "pyvenv.cfg").write_text(f"home = {behind.parent}\n")
    (source / ".venv" / "bin" / "python").symlink_to(behind)
    environment = {**site.environment, "PATH": f"{source}/.venv/bin:/usr/bin:/bin"}
    confinement = msgspec.structs.replace(
        site.confinement(level), readable=toolchains(environment, source=str(source))
    )
    site.environment = environment
    assert site.run(confinement, "python", "-c", "print(6 * 7)").stdout == "42\n"
    assert not site.run(confinement, "cat", f"{source}/secret.txt").result.succeeded


@pytest.mark.req("U-08")
class TestNamed:
    def test_what_the_user_names_is_shown(self, tmp_path: Path) -> None:
        (tmp_path / "tools").mkdir()
        assert str(tmp_path / "tools") in toolchains({}, named=(f"{tmp_path}/tools/",))
        assert toolchains({}, named=("/usr/lib",)) == (), "it is shown anyway"

    @pytest.mark.parametrize("held", ["HOME", "source", "runs"])
    def test_what_holds_something_private_is_refused(self, tmp_path: Path, held: str) -> None:
        private = str(tmp_path / "a" / "b")
        environment = {"HOME": private} if held == "HOME" else {}
        source, runs = (private if held == name else "" for name in ("source", "runs"))
        with pytest.raises(UsageError, match="cannot be shown"):
            toolchains(environment, named=(str(tmp_path / "a"),), source=source, runs=runs)

    def test_a_relative_path_is_refused(self) -> None:
        with pytest.raises(UsageError, match="cannot be shown"):
            toolchains({}, named=("tools",))
