"""Access lists of files, written as the kernel keeps them."""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path

import pytest

from custody.workspace.rights import ACCESS_LIST

_VERSION = 2
_OWNER, _USER, _GROUP, _MASK, _OTHERS = 1, 2, 4, 16, 32
_NOBODY, _NO_ID = 65534, 0xFFFFFFFF


def access_list(path: Path, *, owner: int, named: int, group: int, mask: int, others: int) -> None:
    """Give a file a list with the rights of each, one named user's among them.

    From then on what its mode says of the group is the ``mask``. Skips the test where the file
    system has no lists.
    """
    entries = (
        (_OWNER, owner, _NO_ID), (_USER, named, _NOBODY), (_GROUP, group, _NO_ID),
        (_MASK, mask, _NO_ID), (_OTHERS, others, _NO_ID),
    )  # fmt: skip
    packed = (struct.pack("<HHI", *entry) for entry in entries)
    try:
        os.setxattr(path, ACCESS_LIST, struct.pack("<I", _VERSION) + b"".join(packed))
    except OSError as error:
        if error.errno != errno.EOPNOTSUPP:
            raise
        pytest.skip(f"no access lists in {path.parent}")
