"""The folder of one generation: made durably, fenced for good, its late acks told once."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.executors.sessions.generation import Generation, tokens
from custody.model.session import SessionKind, SessionOrder
from custody.store.root import Root

KIND = SessionKind(name="sta", argv=("sta",))


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    """Return a run directory."""
    with Root.open(str(tmp_path)) as root:
        yield root


def opened(root: Root, token: int) -> Generation:
    return Generation.create(root, SessionOrder(token=token, level="L1", kind=KIND))


def box(root: Root, token: int, name: str) -> Path:
    return Path(root.path) / f"session/sta/{token}/box/{name}"


def test_tokens_are_numbers_in_order(root: Root) -> None:
    assert tokens(root, "sta") == []
    for token in (2, 10, 1):
        opened(root, token)
    (Path(root.path) / "session/sta/notes").mkdir()
    assert tokens(root, "sta") == [1, 2, 10]


def test_everything_is_there_that_a_watcher_needs(root: Root) -> None:
    one = Generation(root, "sta", 1)
    assert not one.is_whole()
    one = opened(root, 1)
    assert one.is_whole()
    assert one.order.kind == KIND
    assert (one.beat(), one.ended(), one.fenced(), one.ready()) == (None, None, None, False)
    assert sorted(os.listdir(box(root, 1, ""))) == ["ack", "claim", "queue", "state", "work"]


@pytest.mark.req("S-08")
def test_the_programs_own_heartbeat(root: Root) -> None:
    generation, state = opened(root, 1), box(root, 1, "state")
    assert generation.heartbeat() == 0
    (state / "heartbeat").touch()
    first = generation.heartbeat()
    os.utime(state / "heartbeat", ns=(first + 5, first + 5))
    assert generation.heartbeat() == first + 5
    state.rename(state.with_name("gone"))
    assert generation.heartbeat() == 0


def test_a_lease_is_another_one_each_time(root: Root) -> None:
    one = opened(root, 1)
    path = Path(root.path) / one.path / "lease"
    os.utime(path, (0, 0))
    one.renew()
    assert path.stat().st_mtime > 0


def test_what_a_killed_watcher_left_half_written_is_removed(root: Root) -> None:
    one = opened(root, 1)
    (Path(root.path) / one.path / ".tmp.12.3").write_bytes(b"half")
    one.tidy()
    assert sorted(root.names(one.path)) == ["box", "lease", "order.json"]


def test_acks_count_that_came_before_the_fence(root: Root) -> None:
    one = opened(root, 1)
    one.mailbox.acks.put("a.1.1", b"early")
    one.fence(2)
    one.mailbox.acks.put("b.1.1", b"late")
    one.fence(3)
    assert (one.counted("a.1.1"), one.counted("b.1.1")) == (b"early", None)
    assert list(one.late()) == [("b.1.1", b"late")]
    one.set_aside("b.1.1")
    assert list(one.late()) == []


def test_nothing_is_late_without_a_fence(root: Root) -> None:
    one = opened(root, 1)
    one.mailbox.acks.put("a.1.1", b"early")
    assert one.counted("a.1.1") == b"early"
    assert list(one.late()) == []


def test_a_fence_leaves_no_place_for_an_ack(root: Root) -> None:
    one = opened(root, 1)
    one.fence(2)
    with pytest.raises(FileNotFoundError):
        (box(root, 1, "ack") / "a.1.1.json").write_bytes(b"late")
    assert sorted(os.listdir(box(root, 1, ""))) == ["ack.kept", "claim", "queue", "state", "work"]


def test_a_fence_that_was_begun_is_ended(root: Root) -> None:
    """The process ended after the folder got its name, and before that was written down."""
    one = opened(root, 1)
    one.mailbox.acks.put("a.1.1", b"early")
    box(root, 1, "ack").rename(box(root, 1, "ack.kept"))
    one.fence(2)
    assert one.counted("a.1.1") == b"early"


def test_what_is_fenced_can_be_removed_by_its_owner(root: Root) -> None:
    one = opened(root, 1)
    one.fence(2)
    for path in [Path(root.path), *Path(root.path).rglob("*")]:
        if path.is_dir():
            assert path.stat().st_mode & stat.S_IRWXU == stat.S_IRWXU


def test_one_that_was_never_whole_is_left_alone(root: Root) -> None:
    root.make_dirs("session/sta/1/box")
    one = Generation(root, "sta", 1)
    one.fence(2)
    assert one.fenced() is None


@pytest.mark.parametrize(
    ("ack", "wrong"),
    [
        ({"request_id": "a.1.1", "token": 1, "more": [1]}, ""),
        ({"request_id": "a.1.1", "token": 2}, "the ack is of token 2, not of 1"),
        ({"request_id": "b.1.1", "token": 1}, "the ack answers 'b.1.1', not 'a.1.1'"),
        ({"request_id": "a.1.1"}, "the ack cannot be read"),
        ({"request_id": "a.1.1", "token": "1"}, "the ack cannot be read"),
        ([], "the ack cannot be read"),
    ],
)
def test_an_ack_must_be_stamped(root: Root, ack: object, wrong: str) -> None:
    said = opened(root, 1).wrong_with(json.dumps(ack).encode(), "a.1.1")
    assert said.startswith(wrong)
    assert bool(said) == bool(wrong)
