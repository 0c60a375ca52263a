"""An agent keeps things in a home of its own, which is gone afterwards."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from custody.executors.programs.home import home_variables, own_home
from support.stages import StageSite


def test_it_is_empty_outside_the_workspace_and_gone_afterwards(place: StageSite) -> None:
    with own_home(place.stage(), "codex") as home:
        assert list(Path(home).iterdir()) == []
        assert home.startswith(f"{place.run.path}/")
        assert not home.startswith(f"{place.workspace.path}/")
        (Path(home) / "kept").write_text("x")
    assert not Path(home).exists()


@pytest.mark.req("G-11")
def test_a_sandbox_brings_its_own_along(tmp_path: Path) -> None:
    with closing(StageSite(tmp_path, "L3")) as place, own_home(place.stage(), "codex") as home:
        assert home == "/home"
        assert not place.run.root.exists("homes")


def test_what_a_killed_process_left_is_not_found_again(place: StageSite) -> None:
    stage = place.stage()
    with own_home(stage, "codex") as home:
        pass
    (Path(home) / "old").mkdir(parents=True)
    with own_home(stage, "codex") as again:
        assert (again, list(Path(again).iterdir())) == (home, [])


def test_it_goes_whatever_happens(place: StageSite) -> None:
    def fail() -> None:
        with own_home(place.stage(), "codex") as home:
            left.append(home)
            raise RuntimeError

    left: list[str] = []
    with pytest.raises(RuntimeError):
        fail()
    assert not Path(left[0]).exists()


def test_toolchains_stay_where_they_are(tmp_path: Path) -> None:
    (tmp_path / ".cargo").mkdir()
    (tmp_path / "go").mkdir()
    parent = {"HOME": str(tmp_path), "GOPATH": "/elsewhere"}
    assert home_variables("/own", parent) == {"HOME": "/own", "CARGO_HOME": f"{tmp_path}/.cargo"}
    assert home_variables("/own", {})["HOME"] == "/own"
