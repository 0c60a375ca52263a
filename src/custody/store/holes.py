"""Files with holes, and copies that have them too."""

from __future__ import annotations

import os

from custody.store.files import write_all

_BLOCK = 4096
_ZEROS = bytes(_BLOCK)


def write_data(descriptor: int, data: memoryview) -> None:
    """Write what is not zero, block by block, and leave holes for the rest.

    A hole at the end shows only when the file is given its size afterwards.
    """
    for start in range(0, len(data), _BLOCK):
        block = bytes(data[start : start + _BLOCK])
        if block == _ZEROS[: len(block)]:
            os.lseek(descriptor, len(block), os.SEEK_CUR)
        else:
            write_all(descriptor, block)


def has_holes(state: os.stat_result) -> bool:
    """Whether a file takes less of the disk than it claims to hold."""
    return state.st_blocks * 512 < state.st_size
