"""What a killed start leaves is seen, and cleared away by whoever starts next."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from custody.store.rundir import RunDirectory
from custody.store.starts import list_starts

pytestmark = pytest.mark.req("G-25")


def left(runs: Path, run_id: str) -> Path:
    """Leave what a process leaves that is killed while it copies the source."""
    folder = runs / f".new.{run_id}"
    (folder / "workspace/closed/deep").mkdir(parents=True)
    (folder / "workspace/closed/deep/file").write_text("x")
    (folder / "workspace/link").symlink_to("/etc")
    (folder / "workspace/closed").chmod(0o500)
    return folder


def test_there_is_none(tmp_path: Path) -> None:
    assert list_starts(str(tmp_path / "missing")) == list_starts(str(tmp_path)) == []


def test_the_next_run_clears_what_others_left(tmp_path: Path) -> None:
    left(tmp_path, "one")
    (tmp_path / ".new.two").mkdir()
    (tmp_path / ".new.file").write_text("no folder, no start")
    assert [(one.run_id, one.at_work) for one in list_starts(str(tmp_path))] == [
        ("one", False), ("two", False)
    ]  # fmt: skip
    with RunDirectory.create(str(tmp_path), "three") as run:
        assert [(one.run_id, one.at_work) for one in list_starts(str(tmp_path))] == [
            ("three", True)
        ]
        run.publish()
    assert sorted(os.listdir(tmp_path)) == [".new.file", "three"]


def test_a_start_at_work_is_left_alone(tmp_path: Path) -> None:
    with RunDirectory.create(str(tmp_path), "one") as one:
        one.write("file", b"x")
        with RunDirectory.create(str(tmp_path), "two") as two:
            two.publish()
        assert one.root.read("file") == b"x"
        one.publish()
    assert sorted(os.listdir(tmp_path)) == ["one", "two"]


def test_starts_beside_each_other_clear_none_of_them(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def start(number: int) -> None:
        try:
            for turn in range(10):
                with RunDirectory.create(str(tmp_path), f"run-{number}-{turn}") as run:
                    run.write("file", b"x")
                    list_starts(str(tmp_path))
                    run.publish()
        except BaseException as error:  # noqa: BLE001 - told below
            failures.append(error)

    for number in range(20):
        left(tmp_path, f"dead-{number}")
    threads = [threading.Thread(target=start, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with RunDirectory.create(str(tmp_path), "last-one") as run:
        run.publish()
    assert len(os.listdir(tmp_path)) == 41
    assert list_starts(str(tmp_path)) == []
