"""Files that appear whole, once, on file systems of every kind."""

from __future__ import annotations

import os

import pytest

from custody.store import create_once
from custody.store.root import Root


def test_create_where_nameless_files_are_unknown(tree: Root) -> None:
    create_once.create_by_rename(tree.fd, "once", b"first", None, sync=True)
    with pytest.raises(FileExistsError):
        create_once.create_by_rename(tree.fd, "once", b"second", None, sync=True)
    assert tree.names() == ["once"]
    assert tree.read("once") == b"first"


def test_a_link_publishes_where_no_rename_can(tree: Root) -> None:
    for name in ("one", "two"):
        tree.write(name, name.encode())
    create_once.publish_by_link(tree.fd, "one", "once")
    with pytest.raises(FileExistsError):
        create_once.publish_by_link(tree.fd, "two", "once")
    assert tree.read("once") == b"one"
    assert tree.names() == ["once", "two"]


def test_a_link_that_was_made_before_its_answer_got_lost(tree: Root) -> None:
    tree.write("one", b"one")
    os.link("one", "once", src_dir_fd=tree.fd, dst_dir_fd=tree.fd)
    create_once.publish_by_link(tree.fd, "one", "once")
    assert tree.names() == ["once"]
