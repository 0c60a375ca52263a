"""The folders of the layers: there while a stage works, and what is left of them afterwards."""

from __future__ import annotations

import os
import stat
from functools import partial
from pathlib import Path

import pytest

from custody.errors import StorageFailed
from custody.model.change import Layer
from support.overlay import become_nobody, in_child, inside
from support.workspaces import Site, kinds


def test_what_is_kept_can_be_removed_by_anybody_who_may(public: Path) -> None:
    def rehearse() -> None:
        become_nobody()
        (public / "home").mkdir()
        site = Site(public / "home")
        workspace = site.workspace()
        for number, closed in enumerate((0o000, 0o500, 0o755)):
            layers = workspace.begin_stage(f"n/1.{number}")
            inside(layers, partial(os.chmod, mode=closed), options="userxattr,volatile")
            assert workspace.capture(layers) == ()
            if number < 2:
                workspace.settle(layers, accepted=bool(number))
        again = site.reopened(workspace)
        again.sort_out_layers({"n/1.0": again.layer})
        home = f"{again._run.path}/layers/n"
        left = sorted(os.listdir(home))
        assert [name.partition(".lost.")[0] for name in left] == ["1.0", "1.2"]
        assert [os.listdir(f"{home}/{name}") for name in left] == [["upper"], ["upper"]]
        site.close()

    in_child(rehearse)


def test_only_what_was_captured_is_promoted(site: Site) -> None:
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")
    with pytest.raises(StorageFailed, match="nothing was captured"):
        workspace.settle(layers, accepted=True)


def test_layers_that_were_left_are_put_into_order(site: Site) -> None:
    workspace = site.workspace()
    kept: dict[str, Layer | None] = {}
    for name in ("n/1.1", "n/1.2", "n/1.3", "m/1.1", "m/1.2"):
        layers = workspace.begin_stage(name)
        Path(layers.upper, "file").write_text(name)
        assert kinds(workspace.capture(layers)) == {"file": "added"}
        kept[name] = workspace.layer
    home = Path(workspace.path).parent / "layers"
    (home / "stray").touch()
    (home / "n" / "1.3" / "upper" / "file").write_text("spoilt")
    again = site.reopened(workspace)
    again.sort_out_layers({"n/1.1": kept["n/1.1"], "n/1.3": kept["n/1.3"], "m/1.1": None})
    left = sorted(str(path.relative_to(home)) for path in home.glob("*/*"))
    assert left == ["m/1.2.lost.1", "n/1.1", "n/1.2.lost.1", "n/1.3.lost.1"]
    assert os.listdir(home / "n" / "1.1") == ["upper"]
    assert (home / "stray").exists()
    assert os.listdir(home / "m" / "1.2.lost.1") == ["upper"]


def test_layers_take_the_mode_of_the_workspace(site: Site) -> None:
    workspace = site.workspace()
    Path(workspace.path).chmod(0o2750)
    layers = workspace.begin_stage("n/1.1")
    assert stat.S_IMODE(os.stat(layers.upper).st_mode) == 0o2750


def test_an_accepted_stage_leaves_nothing(site: Site) -> None:
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")
    Path(layers.upper, "file").write_text("new")
    workspace.accept(workspace.capture(layers))
    workspace.settle(layers, accepted=True)
    assert not (Path(workspace.path).parent / "layers").exists()


def test_a_refused_stage_leaves_its_upper_directory_alone(site: Site) -> None:
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")
    Path(layers.upper, "file").write_text("new")
    workspace.capture(layers)
    workspace.settle(layers, accepted=False)
    home = Path(workspace.path).parent / "layers"
    left = sorted(str(path.relative_to(home)) for path in home.rglob("*"))
    assert left == ["n", "n/1.1", "n/1.1/upper", "n/1.1/upper/file"]
    assert not (Path(workspace.path) / "file").exists()


def test_an_attempt_that_begins_again_sets_its_layers_aside(site: Site) -> None:
    workspace = site.workspace()
    for name in ("one", "two"):
        layers = workspace.begin_stage("n/1.1")
        assert os.listdir(layers.upper) == []
        Path(layers.upper, name).touch()
    lost = Path(layers.upper).parents[1] / "1.1.lost.1"
    assert os.listdir(lost) == ["upper"]
    assert os.listdir(lost / "upper") == ["one"]


def test_only_what_hides_something_is_a_layer_of_its_own(site: Site) -> None:
    (site.source / "secret").touch()
    workspace = site.workspace()
    assert workspace.begin_stage("n/1.1").lower == (workspace.path,)
    hiding = workspace.begin_stage("n/1.2", ("secret",))
    assert hiding.lower == (f"{Path(hiding.upper).parent}/mask", workspace.path)


def test_layers_that_are_discarded_cannot_be_promoted(site: Site) -> None:
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")
    Path(layers.upper, "file").write_text("x")
    assert kinds(workspace.capture(layers)) == {"file": "added"}
    workspace.throw_away(layers)
    assert workspace.layered() == []
    with pytest.raises(StorageFailed, match="nothing was captured"):
        workspace.settle(layers, accepted=True)
