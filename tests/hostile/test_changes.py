"""Whatever a program makes of a workspace is taken over as it is, or refused by its path."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from custody.workspace.workspace import Workspace, differences
from support import kinds
from support.kinds import TURNS, Turn
from support.overlay import become_nobody, in_child, inside
from support.sweep import examples
from support.trees import Picture, picture
from support.workspaces import Site

Work = Callable[[Path], None]
WAYS = (kinds.turn_all, kinds.renamed)
SOME = settings(
    max_examples=examples(15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def on_layers(workspace: Workspace, work: Work, *, keep: bool) -> Picture:
    """Let a program work as it does at L3; return what it saw when it was done."""

    def there(top: str) -> Picture:
        work(Path(top))
        return picture(Path(top))

    layers = workspace.begin_stage("n/1.1")
    merged = inside(layers, there)
    changes = workspace.capture(layers)
    if keep:
        workspace.accept(changes)
    workspace.settle(layers, accepted=keep)
    return merged


def on_the_workspace(workspace: Workspace, work: Work, *, keep: bool) -> Picture:
    """Let a program work as it does at L2."""
    top = Path(workspace.path)
    work(top)
    made = picture(top)
    changes = workspace.capture()
    if keep:
        workspace.accept(changes)
    else:
        workspace.restore()
    return made


LEVELS = (on_layers, on_the_workspace)


def rehearse(
    home: Path,
    turns: Iterable[Turn],
    way: Callable[[Path, Iterable[Turn]], None],
    level: Callable[..., Picture],
    *,
    keep: bool,
) -> None:
    site = Site(home)
    kinds.lay_out(site.source, turns)
    workspace = site.workspace()
    top = Path(workspace.path)
    before = picture(top)
    made = level(workspace, partial(way, turns=turns), keep=keep)
    assert picture(top) == (made if keep else before)
    assert workspace.capture() == ()
    assert differences(workspace._run, workspace.expected) == []
    site.close()
    shutil.rmtree(home)


@pytest.mark.req("G-29")
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("way", WAYS)
def test_any_kind_of_thing_becomes_any_other(
    tmp_path: Path, way: Callable[..., None], level: Callable[..., Picture], *, keep: bool
) -> None:
    (tmp_path / "home").mkdir()
    rehearse(tmp_path / "home", TURNS, way, level, keep=keep)


@pytest.mark.req("G-29")
@pytest.mark.parametrize("level", LEVELS)
def test_any_kind_of_thing_becomes_any_other_without_the_rights_of_root(
    public: Path, level: Callable[..., Picture]
) -> None:
    def as_nobody() -> None:
        become_nobody()
        for way in WAYS:
            for keep in (True, False):
                home = public / f"{way.__name__}-{keep}"
                home.mkdir()
                rehearse(home, TURNS, way, level, keep=keep)

    in_child(as_nobody)


@pytest.mark.req("G-29")
@SOME
@given(turns=st.lists(st.sampled_from(TURNS), unique=True), way=st.sampled_from(WAYS))
def test_each_of_some_turns_is_taken_over_alone(
    tmp_path_factory: pytest.TempPathFactory, turns: list[Turn], way: Callable[..., None]
) -> None:
    for level in LEVELS:
        rehearse(tmp_path_factory.mktemp("home"), turns, way, level, keep=True)
