"""Attacks that need a second process or a mount of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.store.resolve import Resolver, beneath, walk
from custody.store.root import Root

SECONDS = 2.0
TRICK = b"written by the victim"

ATTACKER = """
import ctypes, os, sys
folder = os.open(sys.argv[1], os.O_RDONLY)
exchange = ctypes.CDLL(None).renameat2
print("ready", flush=True)
while True:
    for _ in range(50):
        exchange(folder, b"d", folder, b"link", 2)
"""

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


@contextmanager
def swapping(folder: Path, outside: Path) -> Iterator[None]:
    """Let another process swap a directory and a symlink to ``outside`` all the time."""
    (folder / "d").mkdir(parents=True)
    (folder / "link").symlink_to(outside)
    attacker = subprocess.Popen(
        [sys.executable, "-c", ATTACKER, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert attacker.stdout is not None
    try:
        assert attacker.stdout.readline() == "ready\n"
        yield
    finally:
        attacker.kill()
        attacker.wait()
        attacker.stdout.close()


def escapes(outside: Path) -> bool:
    return os.listdir(outside) != ["secret"] or (outside / "secret").read_text() != "secret"


@pytest.mark.req("I-06")
@pytest.mark.parametrize("resolver", [beneath, walk])
def test_fs_007_no_race_leads_outside(tmp_path: Path, outside: Path, resolver: Resolver) -> None:
    folder = tmp_path / "ws"
    written = refusals = 0
    with swapping(folder, outside), Root.open(str(folder), resolver=resolver) as root:
        attempts: tuple[Callable[[], object], ...] = (
            lambda: root.write("d/f", TRICK),
            lambda: root.create("d/once", TRICK, sync=False),
            lambda: root.remove("d/once"),
            lambda: root.make_dirs("d/deeper"),
            lambda: root.remove_tree("d/deeper"),
            lambda: root.change_mode("d/secret", 0o777),
            lambda: root.rename("d/secret", "stolen"),
            lambda: root.remove("d/secret"),
            lambda: root.read("d/secret"),
        )
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            for attempt in attempts:
                try:
                    attempt()
                    written += 1
                except PathRefused:
                    refusals += 1
        assert not escapes(outside)
    assert written
    assert refusals
    assert not (folder / "stolen").exists()


def test_fs_007_the_race_is_lost_by_a_check_before_the_act(tmp_path: Path, outside: Path) -> None:
    folder = tmp_path / "ws"
    with swapping(folder, outside):
        inside = f"{os.path.realpath(folder)}/"
        deadline = time.monotonic() + 60
        while not escapes(outside):
            assert time.monotonic() < deadline, "the attack does not bite"
            target = f"{folder}/d/f"
            with suppress(OSError):  # realpath itself stumbles over the swaps
                if os.path.realpath(target).startswith(inside):
                    Path(target).write_bytes(TRICK)


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
