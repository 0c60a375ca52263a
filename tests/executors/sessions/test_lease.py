"""Leases are renewed for as long as they are held, and no longer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.executors.sessions.generation import Generation
from custody.executors.sessions.lease import Leases
from custody.model.session import SessionKind, SessionOrder
from custody.store.root import Root
from support.agent_run import wait_for


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Generation]:
    """Return one generation of a session."""
    kind = SessionKind(name="sta", argv=("sta",))
    order = SessionOrder(token=1, level="L1", kind=kind)
    with Root.open(str(tmp_path)) as root:
        yield Generation.create(root, order)


@pytest.fixture
def lease(tmp_path: Path) -> Path:
    """Return the file that is renewed."""
    return tmp_path / "session/sta/1/lease"


def renewals(lease: Path, count: int) -> None:
    for _ in range(count):
        before = lease.stat().st_mtime_ns
        wait_for(lambda before=before: lease.stat().st_mtime_ns != before)  # type: ignore[misc]


def threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name == "custody-leases"]


def test_it_is_renewed_again_and_again(held: Generation, lease: Path) -> None:
    leases = Leases()
    leases.hold(held, 0.04)
    renewals(lease, 5)
    leases.close()
    assert threads() == []
    before = lease.stat().st_mtime_ns
    leases.close()
    assert lease.stat().st_mtime_ns == before


def test_one_that_is_let_go_runs_out(held: Generation, lease: Path) -> None:
    leases = Leases()
    leases.hold(held, 0.04)
    leases.let_go(held)
    wait_for(lambda: threads() == [])
    before = lease.stat().st_mtime_ns
    leases.hold(held, 0.04)
    assert lease.stat().st_mtime_ns != before
    renewals(lease, 2)
    leases.close()


def test_a_disk_that_fails_is_tried_again(held: Generation, lease: Path) -> None:
    leases = Leases()
    leases.hold(held, 0.04)
    aside = lease.parent.with_name("aside")
    lease.parent.rename(aside)
    lease.parent.write_text("")
    renewed = threading.Event()
    renewed.wait(0.1)
    lease.parent.unlink()
    aside.rename(lease.parent)
    renewals(lease, 2)
    leases.close()
