"""A merged pair of layers is what was seen while they were mounted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from custody.store.root import Root
from custody.workspace.overlay.layer import Layers
from custody.workspace.overlay.merge import merge
from support import kinds
from support.overlay import become_nobody, in_child, inside
from support.trees import Picture, picture

SMALL = [turn for turn in kinds.TURNS if "sparse" not in turn]


def rehearse(home: Path, way: Callable[..., None]) -> None:
    for name in ("lower", "upper", "work"):
        (home / name).mkdir()
    kinds.lay_out(home / "lower", SMALL)
    (home / "lower" / "closed").mkdir()
    (home / "lower" / "closed" / "file").touch()
    (home / "lower" / "closed").chmod(0o500)

    def there(top: str) -> Picture:
        way(Path(top), SMALL)
        (Path(top) / "closed").chmod(0o700)
        (Path(top) / "closed" / "new").touch()
        return picture(Path(top))

    layers = Layers((str(home / "lower"),), str(home / "upper"), str(home / "work"))
    merged = inside(layers, there)
    with Root.open(layers.upper) as upper, Root.open(layers.lower[0]) as lower:
        merge(upper, lower)
    assert picture(home / "lower") == merged


@pytest.mark.req("G-02")
@pytest.mark.parametrize("way", [kinds.turn_all, kinds.renamed])
def test_what_was_seen_is_what_is_there(tmp_path: Path, way: Callable[..., None]) -> None:
    rehearse(tmp_path, way)


@pytest.mark.req("G-02")
def test_an_ordinary_user_can_merge(public: Path) -> None:
    def as_nobody(way: Callable[..., None]) -> None:
        become_nobody()
        home = public / way.__name__
        home.mkdir()
        rehearse(home, way)

    for way in (kinds.turn_all, kinds.renamed):
        in_child(partial(as_nobody, way))
