"""The run directory: claimed once, locked, swept, and read back as it was written."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from custody.errors import (
    BlobDamaged,
    MalformedDocument,
    PathRefused,
    RunExists,
    RunLocked,
    RunNotFound,
    StorageFailed,
    UsageError,
)
from custody.model.documents import Checkpoint
from custody.model.evidence import Evidence
from custody.store.index import list_runs
from custody.store.journal import Journal
from custody.store.rundir import RunDirectory

Record = Callable[..., Journal]
Case = Callable[[str], dict[str, Any]]

CHECKPOINT = Checkpoint(
    run_id="run_1",
    pipeline_sha256="",
    status="RUNNING",
    node="a",
    visit=1,
    attempt=1,
    steps=1,
    events=1,
    offset=10,
    head="",
)
HOLDER = """
import sys
from custody.store.rundir import RunDirectory
with RunDirectory.open(sys.argv[1], write=True):
    print("locked", flush=True)
    sys.stdin.read()
"""


class TestClaiming:
    def test_an_id_is_taken_once(self, tmp_path: Path) -> None:
        runs = str(tmp_path / "deep" / "runs")
        with RunDirectory.create(runs, "one") as run:
            with pytest.raises(RunLocked):
                RunDirectory.create(runs, "one")
            run.publish()
            assert run.path == f"{runs}/one"
            assert run.run_id == "one"
            with pytest.raises(RunExists):
                RunDirectory.create(runs, "one")
        with pytest.raises(RunExists):
            RunDirectory.create(runs, "one")

    def test_nobody_sees_half_of_a_beginning(self, tmp_path: Path) -> None:
        with RunDirectory.create(str(tmp_path), "one") as run:
            run.write("half", b"x")
            assert list_runs(str(tmp_path)) == []
        assert os.listdir(tmp_path) == []

    def test_what_a_dead_process_began_is_cleared_away(self, tmp_path: Path) -> None:
        (tmp_path / ".new.one").mkdir()
        (tmp_path / ".new.one" / "half").write_text("x")
        with RunDirectory.create(str(tmp_path), "one") as run:
            run.publish()
        assert os.listdir(tmp_path / "one") == []

    def test_a_name_that_was_taken_meanwhile(self, tmp_path: Path) -> None:
        with RunDirectory.create(str(tmp_path), "one") as run:
            (tmp_path / "one").mkdir()
            with pytest.raises(RunExists):
                run.publish()
        assert os.listdir(tmp_path) == ["one"]

    @pytest.mark.parametrize("run_id", ["", "../x", "a/b", ".hidden", "-x", "last", "x" * 65])
    def test_an_id_that_is_none(self, tmp_path: Path, run_id: str) -> None:
        with pytest.raises(UsageError):
            RunDirectory.create(str(tmp_path), run_id)
        assert os.listdir(tmp_path) == []

    def test_a_place_that_cannot_be(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises((StorageFailed, PathRefused)):
            RunDirectory.create(str(tmp_path / "file"), "one")
        with pytest.raises(RunExists):
            RunDirectory.create(str(tmp_path), "file")

    def test_opening_what_is_no_run(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        for name in ("nothing", "empty"):
            with pytest.raises(RunNotFound):
                RunDirectory.open(str(tmp_path / name), write=False)

    def test_a_run_that_was_moved_keeps_its_id(
        self, run: RunDirectory, record: Record, tmp_path: Path
    ) -> None:
        record(run.root)
        with RunDirectory.open(run.path, write=False) as same:
            assert same.run_id == "run_1"
        run.write("manifest.json", b'{"run_id":"run_1","status":"PASS"}')
        os.rename(run.path, tmp_path / "elsewhere")
        with RunDirectory.open(str(tmp_path / "elsewhere"), write=False) as moved:
            assert moved.run_id == "run_1"


class TestLocking:
    def test_crash_008_two_at_once(self, run: RunDirectory, record: Record, hostile: Case) -> None:
        assert hostile("crash-008")["expect"] == "reject:locked"
        record(run.root)
        with pytest.raises(RunLocked) as caught:
            RunDirectory.open(run.path, write=True)
        assert caught.value.hint
        with RunDirectory.open(run.path, write=False) as reader:
            assert reader.run_id == run.run_id
        run.lock()
        run.close()
        with RunDirectory.open(run.path, write=True):
            pass

    def test_crash_009_a_process_that_died_holds_nothing(
        self, run: RunDirectory, record: Record, hostile: Case
    ) -> None:
        assert hostile("crash-009")["expect"] == "recover:lock"
        record(run.root)
        run.close()
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLDER, run.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert holder.stdout is not None
        assert holder.stdin is not None
        try:
            assert holder.stdout.readline() == "locked\n"
            with pytest.raises(RunLocked):
                RunDirectory.open(run.path, write=True)
        finally:
            holder.kill()
            holder.wait()
            holder.stdout.close()
            holder.stdin.close()
        with RunDirectory.open(run.path, write=True):
            pass


class TestFiles:
    def test_documents_come_back(self, run: RunDirectory) -> None:
        run.write_document("checkpoint.json", CHECKPOINT)
        run.write_document("checkpoint.json", CHECKPOINT, sync=True)
        assert run.read_document("checkpoint.json", Checkpoint) == CHECKPOINT
        run.write("checkpoint.json", b"{}")
        with pytest.raises(MalformedDocument):
            run.read_document("checkpoint.json", Checkpoint)

    def test_evidence_is_checked(self, run: RunDirectory) -> None:
        long = run.stage("a/1.1").write("long", b"x" * 5000)
        assert run.read_evidence(long) == b"x" * 5000
        run.write(long.path, b"y" * 5000)
        with pytest.raises(BlobDamaged):
            run.read_evidence(long)
        run.root.remove(long.path)
        with pytest.raises(BlobDamaged):
            run.read_evidence(long)

    def test_a_text_in_the_evidence_needs_no_file(self, run: RunDirectory) -> None:
        digest = hashlib.sha256(b"abc").hexdigest()
        assert run.read_evidence(Evidence.of_text("nodes/a/1.1/x", "abc")) == b"abc"
        with pytest.raises(BlobDamaged):
            run.read_evidence(Evidence(path="x", sha256=digest, bytes=3, text="abd"))

    def test_crash_005_leftovers_are_swept(self, run: RunDirectory, hostile: Case) -> None:
        assert hostile("crash-005")["expect"] == "recover:no_partial"
        run.stage("a/1.1").write("kept", "x")
        run.blobs.put(b"abc")
        kept = (
            ".tmp.x", "nodes/.tmp", "workspace/.tmp.1.1", "workspace/d/.tmp.1.1",
            "session/x/1/box/work/.tmp.1.1", "reports/.tmp.1.1",
        )  # fmt: skip
        left = (".tmp.1.1", "nodes/a/1.1/.tmp.12.0", "blobs/.tmp.3.4", "session/.tmp.5.6")
        for path in (*kept, *left):
            run.write(path, b"x")
        run.root.make_dirs("nodes/a/.tmp.5.5/deep")
        assert run.sweep() == 5
        assert run.sweep() == 0
        assert all(run.root.exists(path) for path in kept)
        assert not any(run.root.exists(path) for path in left)
        assert run.root.names("nodes/a") == ["1.1"]

    def test_fs_024_a_file_that_cannot_be_changed(
        self, run: RunDirectory, hostile: Case, ordinary_user: Callable[[], Any]
    ) -> None:
        assert hostile("fs-024")["expect"] == "recover:typed_fail"
        run.root.write("f", b"x")
        os.chmod(run.path, 0o555)
        with ordinary_user(), pytest.raises(StorageFailed) as failed:
            run.write("f", b"y")
        assert failed.value.where.endswith("/f")
        assert failed.value.hint
        os.chmod(run.path, 0o755)


@pytest.mark.req("G-03")
@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
def test_a_run_is_for_its_owner_alone(tmp_path: Path, umask: int) -> None:
    old = os.umask(umask)
    try:
        with RunDirectory.create(str(tmp_path / "above" / "runs"), "r1") as run:
            run.root.make_dirs("workspace")
            run.write("events.jsonl", b"")
            run.publish()
    finally:
        os.umask(old)
    runs = tmp_path / "above" / "runs"
    assert stat.S_IMODE(runs.stat().st_mode) == 0o700
    assert stat.S_IMODE((runs / "r1").stat().st_mode) == 0o700
    assert not stat.S_IMODE(runs.parent.stat().st_mode) & 0o022


@pytest.mark.req("G-03")
def test_a_folder_that_hands_its_group_down_hands_it_to_no_run(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    runs.chmod(0o2775)
    with RunDirectory.create(str(runs), "r1") as run:
        run.root.make_dirs("workspace")
        run.publish()
    assert stat.S_IMODE(runs.stat().st_mode) == 0o2775, "it was there before"
    assert stat.S_IMODE((runs / "r1").stat().st_mode) == 0o700
    assert not (runs / "r1" / "workspace").stat().st_mode & stat.S_ISGID


@pytest.mark.req("G-03")
def test_an_older_run_is_closed_to_others_when_it_goes_on(tmp_path: Path) -> None:
    with RunDirectory.create(str(tmp_path), "r1") as run:
        run.write("events.jsonl", b"")
        run.publish()
    (tmp_path / "r1").chmod(0o755)
    with RunDirectory.open(str(tmp_path / "r1"), write=False):
        assert stat.S_IMODE((tmp_path / "r1").stat().st_mode) == 0o755
    with RunDirectory.open(str(tmp_path / "r1"), write=True):
        assert stat.S_IMODE((tmp_path / "r1").stat().st_mode) == 0o700


@pytest.mark.parametrize("request_id", ["", "a", "../1.1", "a/b/1.1", "a/1", "/1.1", "a/../1.1"])
def test_what_is_no_request_has_no_folder(run: RunDirectory, request_id: str) -> None:
    with pytest.raises(PathRefused) as refused:
        run.stage(request_id)
    assert refused.value.code == "node_id"


def test_a_file_in_pieces_is_there_as_a_whole_or_not_at_all(run: RunDirectory) -> None:
    def broken_off() -> Iterator[bytes]:
        yield b"one"
        assert not (Path(run.path) / "summary.json").exists()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.write_pieces("summary.json", broken_off())
    assert not (Path(run.path) / "summary.json").exists()
    assert list(run.temporaries()) == []
    run.write_pieces("summary.json", iter([b"one", b"", b" two"]))
    assert (Path(run.path) / "summary.json").read_bytes() == b"one two"
