"""What was written is told by the blocks it takes, wherever it lies."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path
from typing import Any

import pytest

from custody.model.limits import MIB, StageLimits
from custody.supervise.limits import written
from custody.supervise.limits.written import Place, Sum, WrittenMeter, hold, measure
from support.privileges import modes_count
from support.trees import remove

SMALL = StageLimits(file_size=2 * MIB, written=4 * MIB, files=10)

pytestmark = pytest.mark.req("G-09")


def found_in(folder: Path, limits: StageLimits = SMALL) -> Sum:
    (held,) = hold([str(folder)])
    try:
        return measure([Place(held)], limits)
    finally:
        os.close(held)


def exceeded(folder: Path, *shared: Path, limits: StageLimits = SMALL) -> str | None:
    meter = WrittenMeter(limits, str(folder), tuple(map(str, shared)))
    time.sleep(0.01)  # in no time nothing can be written
    try:
        return meter.exceeded()
    finally:
        meter.close()


def test_a_hole_takes_nothing(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    assert exceeded(tmp_path) is None


@pytest.mark.parametrize(("sizes", "limit"), [((3,), "file_size"), ((1,) * 5, "written")])
def test_blocks_are_counted(tmp_path: Path, sizes: tuple[int, ...], limit: str) -> None:
    assert exceeded(tmp_path) is None
    for number, size in enumerate(sizes):
        (tmp_path / f"{number}").write_bytes(b"x" * (size * MIB))
    assert exceeded(tmp_path) == limit


def test_every_name_counts_and_each_content_once(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"x" * MIB)
    for number in range(6):
        os.link(tmp_path / "one", tmp_path / f"link{number}")
    (tmp_path / "folder").mkdir()
    (tmp_path / "symlink").symlink_to("/")
    found = found_in(tmp_path)
    assert found.files == 9
    assert found.disk < 2 * MIB
    for number in range(2):
        (tmp_path / "folder" / f"{number}").touch()
    assert exceeded(tmp_path) == "files"


def test_what_was_there_before_does_not_count(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "old").write_bytes(b"x" * (3 * MIB))
    time.sleep(0.05)
    meter = WrittenMeter(SMALL, "", (str(shared), str(tmp_path / "missing")))
    assert meter.exceeded() is None
    (shared / "new").write_bytes(b"x" * (3 * MIB))
    os.utime(shared / "new", (1, 1))
    assert meter.at_the_end() == "file_size"


def test_a_single_file_can_be_a_place(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    meter = WrittenMeter(SMALL, "", (str(tmp_path / "file"),))
    (tmp_path / "file").write_bytes(b"x" * (3 * MIB))
    assert meter.exceeded() == "file_size"


def test_a_link_to_a_place_is_the_place_and_no_other_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    meter = WrittenMeter(SMALL, "", (str(tmp_path / "link"),))
    (tmp_path / "real" / "outside").symlink_to("/usr")
    assert meter.exceeded() is None
    (tmp_path / "real" / "big").write_bytes(b"x" * (3 * MIB))
    time.sleep(0.01)
    assert meter.exceeded() == "file_size"


def test_nobody_can_put_another_place_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    meter = WrittenMeter(SMALL, "", (str(tmp_path / "cache"),))
    (tmp_path / "cache" / "big").write_bytes(b"x" * (3 * MIB))
    (tmp_path / "cache").rename(tmp_path / "moved")
    (tmp_path / "cache").symlink_to("/")
    assert meter.exceeded() == "file_size"
    meter.close()


def dig(folder: Path, depth: int) -> None:
    """Make folders within folders, each with a file beside and another folder."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        for name in ("a", "deeper", "z"):
            os.mkdir(name, dir_fd=here)
        below = os.open("deeper", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


@pytest.mark.parametrize("depth", [31, 32, 33, 64, 65, 1500])
def test_no_folder_is_too_deep_to_look_into(tmp_path: Path, depth: int) -> None:
    """It costs few descriptors, and comes back to everything that waits above."""
    dig(tmp_path, depth)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = set(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, before)) + 40, limits[1]))
    try:
        found = found_in(tmp_path, StageLimits())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert (found.files, found.unseen) == (4 * depth, False)
    assert set(os.listdir("/proc/self/fd")) == before
    assert exceeded(tmp_path, limits=StageLimits(files=100)) == "files"
    assert exceeded(tmp_path, limits=StageLimits()) is None
    remove(tmp_path / "deeper")


def test_what_is_moved_while_it_is_looked_at_leads_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deep folder that is moved out of a shallow one does not take the look along with it."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    outside.mkdir()
    (inside / "top").mkdir(parents=True)
    dig(inside / "top", 40)
    for number in range(50):
        (outside / f"{number}").touch()
    count = written._Walk._count
    deepest = inside / "top" / "/".join(["deeper"] * 40)
    number_of_deepest = deepest.stat().st_ino

    def move_at_the_end(walk: Any, folder: int, since: int) -> list[str]:
        found = count(walk, folder, since)
        if os.fstat(folder).st_ino == number_of_deepest:
            (inside / "top" / "deeper").rename(outside / "moved")
        return found

    monkeypatch.setattr(written._Walk, "_count", move_at_the_end)
    found = found_in(inside, StageLimits())
    assert found.unseen
    assert found.files <= 1 + 4 * 40, "nothing outside was counted"


def test_a_look_without_descriptors_says_so(tmp_path: Path) -> None:
    dig(tmp_path, 3)
    (held,) = hold([str(tmp_path)])
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (held + 1, limits[1]))
    try:
        assert measure([Place(held)], SMALL).unseen
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        os.close(held)


def test_a_closed_folder_is_judged_by_the_disk(tmp_path: Path) -> None:
    limits = StageLimits(written=4 * MIB)
    meter = WrittenMeter(limits, str(tmp_path), ())
    closed = tmp_path / "closed"
    closed.mkdir()
    for number in range(64):
        (closed / f"{number}").write_bytes(b"x" * MIB)
    closed.chmod(0)
    try:
        with modes_count():
            assert found_in(tmp_path, limits).unseen
            time.sleep(0.01)
            assert meter.exceeded() == "written"
    finally:
        closed.chmod(0o700)
