"""A git directory of our own, over the objects of another one.

A repository's settings and its ``info/attributes`` have a say in what git prints of a commit, and
no option of git's leaves the latter out. Here there is nothing of either: only the objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from custody.store.scratch import scratch

_PLAIN = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
_OTHER_HASH = (
    "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = {}\n"
)


@contextmanager
def objects_alone(objects: str, object_format: str) -> Iterator[dict[str, str]]:
    """Yield the variables by which git finds a folder of objects, and no setting of anybody's.

    ``object_format`` is the hash that they are named by. Raises `StorageFailed`.
    """
    config = _PLAIN if object_format == "sha1" else _OTHER_HASH.format(object_format)
    with scratch() as folder:
        folder.make_dirs("refs")
        folder.create("HEAD", b"ref: refs/heads/none\n", sync=False)
        folder.create("config", config.encode(), sync=False)
        yield {
            "GIT_DIR": folder.path,
            "GIT_OBJECT_DIRECTORY": objects,
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
