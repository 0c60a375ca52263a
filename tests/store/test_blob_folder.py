"""Blobs made and linked directly, in runs that nobody knows yet."""

from __future__ import annotations

import errno
import hashlib
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.errors import BlobDamaged
from custody.store.blob_folder import BlobFolder
from custody.store.rundir import RunDirectory

ABC = hashlib.sha256(b"abc").hexdigest()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[RunDirectory]:
    """Yield another run beside the first."""
    with RunDirectory.create(str(tmp_path / "runs"), "run_2") as made:
        yield made


def test_a_blob_is_made_where_it_is_looked_for(run: RunDirectory) -> None:
    run.blobs.folder.create(ABC, b"abc")
    assert run.blobs.get(ABC) == b"abc"
    state = run.blobs.folder.state(ABC)
    assert state is not None
    assert state.st_mode & 0o777 == 0o444


def test_what_is_there_stays_unless_it_is_doubted(run: RunDirectory) -> None:
    folder = run.blobs.folder
    folder.create(ABC, b"half")
    folder.create(ABC, b"abc")
    assert read(folder) == b"half"
    folder.replace(ABC, b"abc")
    assert read(folder) == b"abc"
    assert run.blobs.folder.state("0" * 64) is None


def test_a_file_takes_the_name_of_a_blob(run: RunDirectory) -> None:
    folder = run.blobs.folder
    folder.create(ABC, b"half")
    os.close(os.open("made", os.O_CREAT, dir_fd=folder.fd))
    folder.adopt("made", ABC)
    assert read(folder) == b""
    assert os.listdir(folder.fd) == ["ba"]


def test_a_write_that_fails_leaves_nothing(run: RunDirectory) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2, before[1]))
    try:
        with pytest.raises(OSError) as caught:
            run.blobs.folder.create(ABC, b"abc")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert caught.value.errno == errno.EFBIG
    assert run.blobs.folder.state(ABC) is None


def test_a_link_is_the_same_file(run: RunDirectory, other: RunDirectory) -> None:
    run.blobs.put(b"abc")
    assert other.blobs.folder.link(run.blobs.folder, ABC)
    assert other.blobs.folder.link(run.blobs.folder, ABC), "once more is no harm"
    one, two = run.blobs.folder.state(ABC), other.blobs.folder.state(ABC)
    assert one is not None
    assert two is not None
    assert (one.st_ino, one.st_nlink) == (two.st_ino, 2)
    assert run.blobs.get(ABC) == other.blobs.get(ABC) == b"abc"


def test_what_another_run_has_not_must_be_made(run: RunDirectory, other: RunDirectory) -> None:
    run.blobs.put(b"another")
    assert not other.blobs.folder.link(run.blobs.folder, ABC)


@pytest.mark.parametrize("code", [errno.EMLINK, errno.EXDEV, errno.EPERM, errno.EOPNOTSUPP])
def test_what_cannot_be_linked_must_be_made(
    run: RunDirectory, other: RunDirectory, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    run.blobs.put(b"abc")
    refuse_links(monkeypatch, code)
    assert not other.blobs.folder.link(run.blobs.folder, ABC)


def test_a_disk_that_fails_is_no_reason_to_write_more(
    run: RunDirectory, other: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.blobs.put(b"abc")
    refuse_links(monkeypatch, errno.ENOSPC)
    with pytest.raises(OSError) as caught:
        other.blobs.folder.link(run.blobs.folder, ABC)
    assert caught.value.errno == errno.ENOSPC


def test_putting_the_same_again_leaves_the_shared_file_alone(
    run: RunDirectory, other: RunDirectory
) -> None:
    run.blobs.put(b"abc")
    other.blobs.folder.link(run.blobs.folder, ABC)
    shared = run.blobs.folder.state(ABC)
    other.blobs.put(b"abc")
    own = other.blobs.folder.state(ABC)
    assert shared is not None
    assert own is not None
    assert own.st_ino != shared.st_ino
    assert run.blobs.get(ABC) == b"abc"


def refuse_links(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    def link(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", link)


def read(folder: BlobFolder) -> bytes:
    descriptor = folder.open(ABC)
    try:
        return os.read(descriptor, 100)
    finally:
        os.close(descriptor)


def test_a_blob_that_is_not_what_its_name_says_is_found(run: RunDirectory) -> None:
    run.blobs.folder.create(ABC, b"half")
    with pytest.raises(BlobDamaged, match="its content is not what its name says"):
        run.blobs.folder.check(ABC)
    run.blobs.folder.replace(ABC, b"abc")
    run.blobs.folder.check(ABC)
