"""An earlier run lends what it began with, and nothing else."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from custody.model.event import PipelineStarted
from custody.store.resolve import own
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.workspace.donor import Donor, donor
from support.bench import Bench

STAGE = 'a [type=tool, tool_command="cp in.txt out.txt"]\nstart -> a -> done'
ABC = hashlib.sha256(b"abc").hexdigest()


@pytest.fixture
def ran(bench: Bench) -> Bench:
    """Return a place where run r1 began with one file."""
    (bench.workdir / "in.txt").write_text("abc")
    bench.run(STAGE)
    return bench


@contextmanager
def lender(bench: Bench, run_id: str = "r1", tree: str = "") -> Iterator[Donor | None]:
    with (
        Root.open(str(bench.runsdir), resolver=own) as runsdir,
        donor(runsdir, run_id, tree) as found,
    ):
        yield found


def links(bench: Bench, sha256: str, run_id: str = "r1") -> bool:
    """Tell whether a blob of the earlier run can be linked."""
    with RunDirectory.create(str(bench.runsdir), "new") as run, lender(bench, run_id) as found:
        return found is not None and found.link(run.blobs.folder, sha256)


def blob(bench: Bench, run_id: str = "r1") -> Path:
    return bench.path(f"blobs/{ABC[:2]}/{ABC}", run_id)


def test_what_it_began_with_is_linked(ran: Bench) -> None:
    assert links(ran, ABC)


@pytest.mark.parametrize("run_id", ["", "gone"])
def test_the_latest_run_will_do_where_none_is_known(ran: Bench, run_id: str) -> None:
    assert links(ran, ABC, run_id)


def test_what_a_stage_made_is_not(bench: Bench) -> None:
    """After a power failure one that no line names may be half."""
    (bench.workdir / "in.txt").write_text("abc")
    bench.run('a [type=tool, tool_command="ln -s x y"]\nstart -> a -> done')
    stray = hashlib.sha256(b"left by a stage").hexdigest()
    bench.path(f"blobs/{stray[:2]}").mkdir(exist_ok=True)
    bench.path(f"blobs/{stray[:2]}/{stray}").write_bytes(b"")
    assert links(bench, ABC)
    assert not links(bench, stray)


@pytest.mark.parametrize("damage", ["longer", "rewritten", "gone"])
def test_what_was_written_since_is_not(ran: Bench, damage: str) -> None:
    blob(ran).chmod(0o644)
    if damage == "longer":
        state = blob(ran).stat()
        blob(ran).write_bytes(b"abcd")
        os.utime(blob(ran), ns=(state.st_atime_ns, state.st_mtime_ns))
    elif damage == "rewritten":
        blob(ran).write_bytes(b"abd")
    else:
        blob(ran).unlink()
    assert not links(ran, ABC)


@pytest.mark.parametrize("damage", ["journal", "genesis", "empty", "listing", "blobs"])
def test_a_broken_run_lends_nothing(ran: Bench, damage: str) -> None:
    journal = ran.path("events.jsonl")
    if damage == "journal":
        journal.unlink()
    elif damage == "genesis":
        journal.write_bytes(journal.read_bytes().replace(b"PipelineStarted", b"RunInterrupted", 1))
    elif damage == "empty":
        journal.write_bytes(b"")
    elif damage == "listing":
        for path in ran.path("blobs").glob("*/*"):
            if path != blob(ran):
                path.unlink()
    else:
        shutil.rmtree(ran.path("blobs"))
    with lender(ran) as found:
        assert found is None


def test_a_listing_that_nobody_needed_may_be_lost(ran: Bench) -> None:
    """What the caller knows to be in it is linked, and nothing else."""
    started = ran.facts("r1")[0]
    assert isinstance(started, PipelineStarted)
    tree = started.workspace.sha256
    ran.path(f"blobs/{tree[:2]}/{tree}").unlink()
    with RunDirectory.create(str(ran.runsdir), "new") as run, lender(ran, "r1", tree) as found:
        assert found is not None
        assert found.began_with(tree)
        assert not found.link(run.blobs.folder, ABC)
        assert not found.has_size(3)
        assert not found.link(run.blobs.folder, ABC, 4)
        assert found.link(run.blobs.folder, ABC, 3)


def test_a_broken_run_is_passed_over(ran: Bench) -> None:
    ran.run(STAGE, run_id="r2")
    ran.path("events.jsonl", "r2").write_bytes(b"")
    assert links(ran, ABC, "r2")


def test_there_may_be_none(tmp_path: Path) -> None:
    with Root.open(str(tmp_path), resolver=own) as runsdir, donor(runsdir, "") as found:
        assert found is None
