"""Who holds the lock of a folder, and how others see it."""

from __future__ import annotations

from pathlib import Path

from custody.store.lock import is_locked, try_lock
from custody.store.root import Root


def test_one_has_it_until_its_folder_is_closed(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as first, Root.open(str(tmp_path)) as second:
        assert try_lock(first)
        assert not try_lock(second)
        first.close()
        assert try_lock(second)


def test_asking_takes_nothing(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as holder, Root.open(str(tmp_path)) as asker:
        assert not is_locked(asker)
        assert try_lock(holder)
        assert is_locked(asker)
        holder.close()
        assert not is_locked(asker)
        assert try_lock(asker)
