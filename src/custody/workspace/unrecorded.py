"""What a program may leave on a workspace that no diff tells of: attributes, and times.

A stage that works on layers cannot leave these: what is promoted has no attributes, and a file that
was only touched is not promoted. One that works in the workspace itself can, so they are put back
after it. The times of a file whose content has changed stay as the program left them, and so do
those of a folder in which something has changed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection
from contextlib import closing

from custody.store.open_folders import OpenFolders
from custody.store.os_errors import still_there
from custody.store.root import Root
from custody.workspace.scan import Seen

_OURS_TO_REMOVE = "user."
"""Others belong to the system."""


Touched = tuple[str, Seen | None, Seen]
"""A path, what stood there before, and what does now."""


def forget_all(root: Root, touched: Collection[Touched]) -> list[tuple[str, int]]:
    """Remove attributes of files and folders, and undo changes of nothing but their times.

    Return the times that were put back, by path. Raises `StorageFailed` when the disk fails.
    """
    if not touched:
        return []
    put_back: list[tuple[str, int]] = []
    with closing(OpenFolders(root)) as folders:
        for path, old, new in touched:
            if new.entry.kind not in {"file", "dir"}:
                continue
            above, _, name = path.rpartition("/")
            name = name or "."  # the workspace itself
            with still_there(f"{root.path}/{path}"):
                folder = folders.get(above).fd
                _remove_attributes(folder, name)
                if old and old.entry == new.entry and old.modified != new.modified:
                    times = (old.modified, old.modified)
                    os.utime(name, ns=times, dir_fd=folder, follow_symlinks=False)
                    put_back.append((path, old.modified))
    return put_back


def _remove_attributes(folder: int, name: str) -> None:
    ours = _attributes(folder, name)
    if not ours:
        return
    mode = stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    os.chmod(f"/proc/self/fd/{folder}/{name}", mode | stat.S_IWUSR)  # its owner needs it
    for attribute in ours:
        os.removexattr(f"/proc/self/fd/{folder}/{name}", attribute, follow_symlinks=False)
    os.chmod(f"/proc/self/fd/{folder}/{name}", mode)


def _attributes(folder: int, name: str) -> list[str]:
    try:
        found = os.listxattr(f"/proc/self/fd/{folder}/{name}", follow_symlinks=False)
    except OSError as error:
        if error.errno != errno.EOPNOTSUPP:
            raise
        return []
    return [attribute for attribute in found if attribute.startswith(_OURS_TO_REMOVE)]
