"""What programs of an attempt cache is there for this attempt, and beneath later ones if it may."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.model.confinement import Level
from custody.sandbox.caches import StageCaches
from custody.store.resolve import own
from custody.store.root import Root

LEVELS: tuple[Level, ...] = ("L1", "L2", "L3")


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Root]:
    """Return the folder of a run."""
    with Root.open(str(tmp_path), resolver=own) as root:
        yield root


def begun(run: Root, number: int, level: Level, *, kept: bool = False) -> StageCaches:
    caches = StageCaches(run, f"n/1.{number}", kept=kept)
    caches.make(level)
    return caches


def folder_of(caches: StageCaches) -> Path:
    return Path(caches.layers.upper if caches.layers else caches.path)


def put(caches: StageCaches, name: str, text: str) -> None:
    path = folder_of(caches) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("level", LEVELS)
def test_where_programs_see_it(run: Root, level: Level) -> None:
    caches = begun(run, 1, level)
    assert caches.path == f"{run.path}/cache/n.1.1"
    assert caches.seen(level) == ("/cache" if level == "L3" else caches.path)
    folders = {"tmp"} if level == "L3" else {"tmp", "home"}
    assert set(os.listdir(folder_of(caches))) == folders
    assert caches.layers is None, "there is no base"


@pytest.mark.req("G-02")
@pytest.mark.parametrize("level", LEVELS)
def test_programs_of_an_attempt_find_what_its_earlier_ones_left(run: Root, level: Level) -> None:
    caches = begun(run, 1, level)
    put(caches, "pip/wheel", "one")
    caches.make(level)
    assert (folder_of(caches) / "pip" / "wheel").read_text() == "one"
    caches.end(accepted=True)
    assert not run.names("cache"), "it was not to be kept"
    caches.end()


@pytest.mark.parametrize("level", LEVELS)
def test_a_file_is_given_to_programs(run: Root, level: Level) -> None:
    caches = StageCaches(run, "n/1.1")
    assert caches.give(level, "prompt.md", b"Do it.") == f"{caches.seen(level)}/prompt.md"
    caches.make(level)
    assert (folder_of(caches) / "prompt.md").read_bytes() == b"Do it."
    caches.end(accepted=True)
    assert not run.names("cache")


@pytest.mark.req("G-02")
@pytest.mark.parametrize("level", LEVELS)
def test_what_is_kept_lies_beneath(run: Root, level: Level) -> None:
    first = begun(run, 1, level, kept=True)
    kept = {"pip/wheel", "cargo/registry/crate", "go-mod/module"}
    gone = {
        "cargo/credentials.toml",
        "tmp/x",
        "home/.profile",
        "pycache/app.pyc",
        "mypy/x",
        "stray",
    }
    for name in kept | gone:
        put(first, name, "one")
    first.end(accepted=True)
    base = Path(run.path) / "cache" / "base"
    assert {str(path.relative_to(base)) for path in base.rglob("*") if path.is_file()} == kept
    second = begun(run, 2, level)
    if second.layers is None:
        assert (Path(second.path) / "pip" / "wheel").read_text() == "one"
    else:
        assert second.layers.lower == (str(base),)
    put(second, "pip/wheel", "spoilt")
    second.end(accepted=True)
    assert (base / "pip" / "wheel").read_text() == "one"
    third = begun(run, 3, level, kept=True)
    put(third, "pip/wheel", "newer")
    put(third, "npm/package", "more")
    third.end(accepted=True)
    assert (base / "pip" / "wheel").read_text() == "newer"
    assert sorted(os.listdir(base)) == ["cargo", "go-mod", "npm", "pip"]
    assert run.names("cache") == ["base"]


def test_nothing_is_kept_where_the_folder_was_replaced(run: Root) -> None:
    caches = begun(run, 1, "L1", kept=True)
    run.remove_tree("cache/n.1.1")
    os.symlink("/etc", caches.path)
    caches.end(accepted=True)
    assert run.names("cache") == []


def test_what_never_began_leaves_nothing(run: Root) -> None:
    caches = StageCaches(run, "n/1.1", kept=True)
    caches.end(accepted=True)
    assert run.names() == []


@pytest.mark.req("G-02")
@pytest.mark.parametrize("level", LEVELS)
def test_a_refused_attempt_leaves_nothing(run: Root, level: Level) -> None:
    for number in (1, 2):
        caches = begun(run, number, level, kept=True)
        put(caches, "pip/wheel", "refused")
        caches.end()
        assert run.names("cache") == []
