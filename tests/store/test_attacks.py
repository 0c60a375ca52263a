"""Attacks that need mounts of their own; tests/hostile/test_race.py has those that race."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MOUNTED = """
import os, subprocess, sys
from custody.errors import CustodyError
from custody.store.resolve import beneath, own, walk
from custody.store.root import Root

def code(act, *args):
    try:
        act(*args)
    except CustodyError as error:
        return getattr(error, "code", type(error).__name__)
    return "done"

folder, outside = sys.argv[1:]
subprocess.run(["mount", "--bind", outside, f"{folder}/m"], check=True)
subprocess.run(["mount", "--bind", f"{outside}/secret", f"{folder}/f"], check=True)
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", f"{folder}/small"], check=True)
for resolver in (beneath, walk):
    with Root.open(folder, resolver=resolver) as root:
        print(*(code(act, *args) for act, args in [
            (root.write, ("m/x", b"x")), (root.create, ("m/x", b"x")),
            (root.read, ("m/secret",)), (root.make_dirs, ("m/d",)),
            (root.read, ("f",)), (root.write, ("f", b"x")), (root.write, ("small/x", b"x")),
        ]))
with Root.open(f"{folder}/small") as root:
    root.write("keep", b"old")
    print(code(root.write, "keep", bytes(100_000)), code(root.create, "new", bytes(100_000)),
          code(root.write, "keep", bytes(100_000), ), root.read("keep").decode(), *root.names())
"""


def test_fs_012_mount_points_and_a_full_file_system(tmp_path: Path, outside: Path) -> None:
    folder = tmp_path / "ws"
    for name in ("m", "small"):
        (folder / name).mkdir(parents=True)
    (folder / "f").write_text("")
    result = subprocess.run(
        ["unshare", "--map-root-user", "--mount", sys.executable, "-c", MOUNTED, folder, outside],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stderr == ""
    *by_resolver, full = result.stdout.splitlines()
    assert by_resolver == ["xdev xdev xdev xdev xdev xdev xdev"] * 2
    assert full == "StorageFailed StorageFailed StorageFailed old keep"
    assert os.listdir(outside) == ["secret"]
