"""Whether a file that a text names may be written."""

from __future__ import annotations

from collections.abc import Collection

from custody.model.relpath import RelPath, write_policy
from custody.store.root import Root


def admit_write(text: str, root: Root, *, gone: Collection[str] = ()) -> RelPath:
    """Return the path that ``text`` names below ``root``; raises `PathRefused` when it may not.

    The spelling is judged first, then the policy of files that nobody should write, then
    whether the name differs only by case from one that is there. Below a file or symlink that
    will be ``gone`` by then, nothing is there.
    """
    path = RelPath.parse(text)
    write_policy(path)
    above = ("/".join(path.parts[:depth]) for depth in range(1, len(path.parts)))
    if not gone or not any(place in gone for place in above):
        root.refuse_case_collision(path)
    return path
