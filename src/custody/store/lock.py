"""The lock of a folder: the kernel's, on the directory itself, so it ends with whoever holds it."""

from __future__ import annotations

import fcntl
import os

from custody.store.os_errors import failure
from custody.store.root import Root


def try_lock(folder: Root) -> bool:
    """Lock a folder until it is closed; False when another process has it. Raises `OSError`."""
    try:
        fcntl.flock(folder.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(folder: Root) -> bool:
    """Whether a process holds the lock.

    Asking takes a lock beside those of others who ask, for a moment: whoever fails to lock a
    folder should try again.
    """
    descriptor = folder.open_dir()
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError as error:
        raise failure(error, folder.path, reading=True) from error
    finally:
        os.close(descriptor)
    return False
