"""The start of a run over a source that an earlier run has seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from custody import api
from custody.model.change import Tree
from custody.model.event import PipelineStarted
from custody.model.layout import SOURCES
from custody.store.change_time import CLOCK_STEP
from custody.store.hash_cache import HashCache
from custody.store.resolve import own
from custody.store.root import Root
from custody.store.workers import FEW
from support.alone import run_alone, start_alone
from support.bench import Bench
from support.sweep import some, turn
from support.trees import differing, picture

NOTHING = "start -> done"
MANY = FEW + 60

START = """
import json, os, sys
from custody import api
from custody.errors import CustodyError
from custody.store import workers
pipeline, source, runsdir, run_id, limit = sys.argv[1:]
forked = []
real = workers.Workers._fork
workers.Workers._fork = lambda self: (forked.append(1), real(self))[1]
if limit == "modes":
    from support.privileges import modes_count
    counting = modes_count()
    counting.__enter__()
elif limit:
    import resource
    kind, _, value = limit.partition("=")
    which = getattr(resource, kind)
    if kind == "RLIMIT_FSIZE":
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(which, (int(value),) * 2)
try:
    api.run(pipeline, workdir=source, runsdir=runsdir, run_id=run_id)
    error = None
except CustodyError as raised:
    error = [type(raised).__name__, getattr(raised, "code", ""), str(raised)]
print(json.dumps({"forked": len(forked), "error": error}))
"""


def settle(source: Path, step: int = 2 * CLOCK_STEP) -> None:
    """Let the files be older than a step of the clock."""
    newest = max(path.lstat().st_ctime_ns for path in source.rglob("*"))
    while time.time_ns() - newest <= step:
        time.sleep(0.001)


@pytest.fixture
def ran(bench: Bench) -> Bench:
    """Return a place where run r1 has gone over a source with two files."""
    (bench.workdir / "sub").mkdir()
    (bench.workdir / "a").write_text("abc")
    (bench.workdir / "sub" / "b").write_text("b" * 5000)
    settle(bench.workdir)
    bench.run(NOTHING)
    return bench


def cache(bench: Bench) -> HashCache:
    with Root.open(str(bench.runsdir), resolver=own) as runsdir:
        return HashCache.load(runsdir, bench.workdir.stat())


def blob_of(bench: Bench, path: str, run_id: str) -> Path:
    from hashlib import sha256

    name = sha256((bench.workdir / path).read_bytes()).hexdigest()
    return bench.path(f"blobs/{name[:2]}/{name}", run_id)


def base_of(bench: Bench, run_id: str) -> Tree:
    started = bench.facts(run_id)[0]
    assert isinstance(started, PipelineStarted)
    return started.workspace


def verified(bench: Bench, run_id: str) -> bool:
    return not api.verify(run_id, runsdir=str(bench.runsdir)).mismatches


def test_a_second_run_has_its_contents_by_links(ran: Bench) -> None:
    ran.run(NOTHING, run_id="r2")
    for path in ("a", "sub/b"):
        one, two = (blob_of(ran, path, run_id).stat() for run_id in ("r1", "r2"))
        assert one.st_ino == two.st_ino
        assert ran.path(f"workspace/{path}", "r2").stat().st_nlink == 1
    assert differing(picture(ran.workdir), picture(ran.path("workspace", "r2"))) == []
    assert verified(ran, "r1")
    assert verified(ran, "r2")


def test_removing_a_run_damages_no_other(ran: Bench) -> None:
    ran.run(NOTHING, run_id="r2")
    ran.run(NOTHING, run_id="r3")
    shutil.rmtree(ran.path("", "r2"))
    assert verified(ran, "r1")
    assert verified(ran, "r3")
    shutil.rmtree(ran.path("", "r3"))
    ran.run(NOTHING, run_id="r4")
    assert blob_of(ran, "a", "r4").stat().st_ino == blob_of(ran, "a", "r1").stat().st_ino
    shutil.rmtree(ran.path("", "r1"))
    assert verified(ran, "r4")


def test_a_run_directory_is_whole_by_itself(ran: Bench, tmp_path: Path) -> None:
    ran.run(NOTHING, run_id="r2")
    (tmp_path / "copied").mkdir()
    subprocess.run(["cp", "-a", ran.path("", "r2"), tmp_path / "copied" / "r2"], check=True)
    archive = tmp_path / "r2.tar"
    subprocess.run(["tar", "cf", archive, "-C", ran.runsdir, "r2"], check=True)
    shutil.rmtree(ran.runsdir)
    (tmp_path / "unpacked").mkdir()
    subprocess.run(["tar", "xf", archive, "-C", tmp_path / "unpacked"], check=True)
    for place in ("copied/r2", "unpacked/r2"):
        assert not api.verify(str(tmp_path / place)).mismatches


def test_a_changed_file_is_seen_whatever_its_times_say(ran: Bench) -> None:
    state = (ran.workdir / "a").stat()
    (ran.workdir / "a").write_text("abd")
    os.utime(ran.workdir / "a", ns=(state.st_atime_ns, state.st_mtime_ns))
    ran.run(NOTHING, run_id="r2")
    assert ran.path("workspace/a", "r2").read_text() == "abd"
    assert verified(ran, "r2")


def test_a_file_that_was_changed_just_now_is_not_known(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = 1_500_000_000  # on a busy machine a run begins long after a step of the clock
    monkeypatch.setattr("custody.store.change_time.CLOCK_STEP", step)
    (bench.workdir / "old").write_text("old")
    settle(bench.workdir, step)
    (bench.workdir / "new").write_text("new")
    bench.run(NOTHING)
    known = cache(bench)
    assert known.run_id == "r1"
    assert set(known.files("")) == {"old"}


def test_files_that_go_on_changing_are_always_seen(bench: Bench) -> None:
    """However near to each other a change, a start and another change lie."""
    for number in range(12):
        (bench.workdir / "f").write_text(f"{number:04}")
        bench.run(NOTHING, run_id=f"r{number}")
        assert bench.path("workspace/f", f"r{number}").read_text() == f"{number:04}"


def test_a_file_in_the_place_of_another_is_seen(ran: Bench) -> None:
    state = (ran.workdir / "a").stat()
    (ran.workdir / "a").unlink()
    for _ in range(50):  # until the number of the inode is used again, if it ever is
        (ran.workdir / "a").write_text("abd")
        if (ran.workdir / "a").stat().st_ino == state.st_ino:
            break
        (ran.workdir / "a").unlink()
    (ran.workdir / "a").write_text("abd")
    os.utime(ran.workdir / "a", ns=(state.st_atime_ns, state.st_mtime_ns))
    ran.run(NOTHING, run_id="r2")
    assert ran.path("workspace/a", "r2").read_text() == "abd"


@pytest.mark.parametrize("damage", ["cache", "donor"])
def test_without_the_cache_or_the_run_all_is_read(ran: Bench, damage: str) -> None:
    if damage == "cache":
        shutil.rmtree(ran.runsdir / SOURCES)
    else:
        shutil.rmtree(ran.path(""))
    ran.run(NOTHING, run_id="r2")
    shared = blob_of(ran, "a", "r2").stat().st_nlink
    assert shared == (2 if damage == "cache" else 1)
    assert verified(ran, "r2")
    assert cache(ran).run_id == "r2"


def test_another_source_with_the_same_contents_shares_them(ran: Bench, tmp_path: Path) -> None:
    shutil.copytree(ran.workdir, tmp_path / "clone")
    api.run(
        ran.pipeline(NOTHING),
        workdir=str(tmp_path / "clone"),
        runsdir=str(ran.runsdir),
        run_id="r2",
    )
    assert blob_of(ran, "sub/b", "r2").stat().st_nlink == 2


def test_the_cache_is_no_part_of_a_workspace(bench: Bench) -> None:
    bench.runsdir = bench.workdir
    (bench.workdir / "a").write_text("abc")
    bench.run(NOTHING)
    bench.run(NOTHING, run_id="r2")
    assert not bench.path(f"workspace/{SOURCES}", "r2").exists()
    assert bench.path("workspace/a", "r2").exists()


def test_runs_may_begin_at_the_same_time(bench: Bench) -> None:
    plant(bench.workdir, MANY)
    pipeline = bench.pipeline(NOTHING)
    started = [
        start_alone(START, pipeline, bench.workdir, bench.runsdir, f"r{number}", "")
        for number in range(4)
    ]
    assert [process.communicate(timeout=60)[1] for process in started] == [""] * 4
    assert all(verified(bench, f"r{number}") for number in range(4))


class TestManyFiles:
    """With so many files that other processes help, everything is as without them."""

    @pytest.fixture
    def many(self, bench: Bench) -> Bench:
        """Return a place with a source of many files and folders."""
        plant(bench.workdir, MANY)
        settle(bench.workdir)
        return bench

    def start(self, bench: Bench, run_id: str = "r1", limit: str = "") -> Any:
        return run_alone(
            START, bench.pipeline(NOTHING), bench.workdir, bench.runsdir, run_id, limit
        )

    def test_the_copy_is_the_source(self, many: Bench) -> None:
        for run_id in ("r1", "r2", "r3"):
            assert self.start(many, run_id) == {"forked": processors() * 2, "error": None}
            assert differing(picture(many.workdir), picture(many.path("workspace", run_id))) == []
            assert verified(many, run_id)
        many.run(NOTHING, run_id="r4")  # in one process where the tests have several threads
        assert len({base_of(many, run_id) for run_id in ("r1", "r2", "r3", "r4")}) == 1
        assert blob_of(many, "d3/f3", "r3").stat().st_nlink == 4

    def test_times_of_files_are_kept(self, many: Bench) -> None:
        os.utime(many.workdir / "d3" / "f3", ns=(1_000_000_007, 2_000_000_009))
        self.start(many)
        assert many.path("workspace/d3/f3").stat().st_mtime_ns == 2_000_000_009

    def test_a_name_that_is_not_utf8_is_told(self, many: Bench) -> None:
        os.close(os.open(os.fsencode(many.workdir) + b"/d3/b\xff", os.O_CREAT))
        assert self.start(many)["error"][:2] == ["PathRefused", "surrogate"]
        assert os.listdir(many.runsdir) == []

    def test_a_file_that_cannot_be_read_is_told(self, many: Bench) -> None:
        (many.workdir / "d3" / "f3").chmod(0)
        error = self.start(many, limit="modes")["error"]
        assert error[:2] == ["PathRefused", "unreadable"]
        assert error[2].startswith(str(many.workdir / "d3" / "f3"))
        assert os.listdir(many.runsdir) == []

    def test_a_disk_that_refuses_is_told(self, many: Bench) -> None:
        (many.workdir / "d3" / "large").write_bytes(bytes(3 << 20))
        found = self.start(many, limit=f"RLIMIT_FSIZE={2 << 20}")["error"]
        assert found[0] == "StorageFailed"
        assert found[2].startswith(str(many.workdir / "d3" / "large"))
        assert os.listdir(many.runsdir) == []

    @pytest.mark.parametrize("limit", some("descriptors of a start", [20, 24, 32, 48, 64], 2))
    def test_few_descriptors_are_enough_or_told(self, many: Bench, limit: int) -> None:
        found = self.start(many, limit=f"RLIMIT_NOFILE={limit}")["error"]
        if found is not None:
            assert found[0] == "StorageFailed"
            assert "too many open files" in found[2]
            assert os.listdir(many.runsdir) == []
        else:
            assert verified(many, "r1")


def plant(source: Path, files: int) -> None:
    for number in range(files):
        folder = source / f"d{number % 17}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"f{number}").write_text(f"{number % 211}\n" * (number % 40))
    (source / "d1" / "link").symlink_to("../d2/f2")
    (source / "d2" / "f2").chmod(0o755)
    (source / "empty").mkdir()


def processors() -> int:
    return min(4, len(os.sched_getaffinity(0)))


ATTACK = """
import contextlib, glob, os
for number, path in enumerate(glob.glob("RUNS/*/blobs/*/*")):
    for act in (
        lambda: os.chmod(path, 0o666),
        lambda: open(path, "r+b").write(b"!"),
        lambda: os.link(path, f"mine{number}"),
        lambda: open(f"mine{number}", "r+b").write(b"!"),
        lambda: os.truncate(path, 0),
        lambda: os.unlink(path),
    ):
        with contextlib.suppress(OSError):
            act()
"""


@pytest.mark.parametrize("level", turn("what the runs share", ["L2", "L3"]))
def test_no_program_reaches_what_the_runs_share(bench: Bench, level: str) -> None:
    (bench.workdir / "attack.py").write_text(ATTACK.replace("RUNS", str(bench.runsdir)))
    (bench.workdir / "shared").write_text("abc")
    stage = 'a [type=tool, tool_command="python3 attack.py"]\nstart -> a -> done'
    for run_id in ("r1", "r2"):
        assert bench.run(stage, run_id=run_id, confinement=level).summary.status == "PASS"
    assert blob_of(bench, "shared", "r1").stat().st_nlink == 2
    assert verified(bench, "r1")
    assert verified(bench, "r2")


def test_unconfined_it_does_and_every_run_that_shares_it_says_so(bench: Bench) -> None:
    (bench.workdir / "attack.py").write_text(ATTACK.replace("RUNS", str(bench.runsdir)))
    (bench.workdir / "shared").write_text("abc")
    bench.run(NOTHING)
    bench.run(
        'a [type=tool, tool_command="python3 attack.py"]\nstart -> a -> done',
        run_id="r2",
        confinement="L1",
    )
    assert not verified(bench, "r1")
    assert not verified(bench, "r2")
