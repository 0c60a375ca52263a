from __future__ import annotations

from pathlib import Path

from custody.sandbox.toolchains import toolchains


def test_folders_around_programs_are_found_and_homes_are_not(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in (
        "home/bin", "home/.local/bin", "home/.cargo/bin", "home/.pyenv/shims", "opt/tool/bin",
        "venv/bin", "python/3.11/bin", "plain",
    ):  # fmt: skip
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "venv" / "pyvenv.cfg").write_text(
        f"home = {tmp_path}/python/3.11/bin\nversion = 3.11\n"
    )
    entries = [
        "/usr/bin", "", "relative/bin", "/no/such/bin", f"{home}/bin", f"{home}/.local/bin",
        f"{home}/.cargo/bin", f"{home}/.pyenv/shims", f"{tmp_path}/opt/tool/bin/",
        f"{tmp_path}/plain", f"{tmp_path}", "/",
    ]  # fmt: skip
    environment = {
        "HOME": str(home),
        "PATH": ":".join(entries),
        "VIRTUAL_ENV": f"{tmp_path}/venv",
        "NVM_DIR": str(home),
    }
    assert [path.removeprefix(f"{tmp_path}/") for path in toolchains(environment)] == [
        "home/.cargo/bin",
        "home/.local/bin",
        "home/.pyenv",
        "home/bin",
        "opt/tool",
        "plain",
        "python/3.11",
        "venv",
    ]


def test_without_a_home_nothing_above_is_shown() -> None:
    assert toolchains({"PATH": "/usr/bin:/bin"}) == ()
