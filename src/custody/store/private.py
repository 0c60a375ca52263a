"""Files and folders of the user's that nobody else may read."""

from __future__ import annotations

import os

from custody.store.os_errors import failure

_FOLDER = 0o700
_FILE = 0o600


def make_private_folder(path: str) -> None:
    """Make a folder that is its owner's alone, and those above it, where they are missing.

    One that is there keeps its rights: its owner chose them. Symlinks are followed.
    """
    above = os.path.dirname(os.path.abspath(path))
    try:
        os.makedirs(above, exist_ok=True)
        if not os.path.isdir(path):
            os.makedirs(path, _FOLDER, exist_ok=True)
    except OSError as error:
        raise failure(error, path) from error


def make_private_file(path: str) -> bool:
    """Make an empty file that is its owner's alone, where none is; tell whether it was made.

    The folder is made likewise. What another program then makes beside the file, with the file's
    own rights, is as private.
    """
    make_private_folder(os.path.dirname(os.path.abspath(path)))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, _FILE)
    except FileExistsError:
        return False
    except OSError as error:
        raise failure(error, path) from error
    try:
        os.fchmod(descriptor, _FILE)
    finally:
        os.close(descriptor)
    return True
