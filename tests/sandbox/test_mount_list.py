from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from custody.sandbox import kernel, mount_list, namespaces
from support.overlay import in_child
from support.sandboxes import Site


def enter() -> None:
    user, group = os.geteuid(), os.getegid()
    kernel.call("unshare", 0x14000000 | namespaces.CLONE_NEW_MOUNTS)
    namespaces.take_identity(user, group)


def test_everything_is_there_and_nothing_is_listed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("there")

    def work() -> tuple[str, str, str, bool]:
        enter()
        found = mount_list.make_empty(str(tmp_path))
        before = Path("/proc/self/mountinfo").read_text()
        mount_list.leave_the_list(found)
        told = subprocess.run(
            ["cat", "/proc/self/mounts"], capture_output=True, text=True, check=True
        )
        after = Path("/proc/self/mountinfo").read_text()
        return (tmp_path / "file").read_text(), after, told.stdout, bool(before)

    assert in_child(work) == ("there", "", "", True)


def test_in_the_empty_namespace_nothing_can_be_done(tmp_path: Path) -> None:
    def work() -> tuple[int, list[str]]:
        enter()
        found = mount_list.make_empty(str(tmp_path))
        kernel.call("setns", found.empty, namespaces.CLONE_NEW_MOUNTS)
        return os.statvfs("/").f_flag & 0b1111, os.listdir("/")

    assert in_child(work) == (0b1111, []), "nothing is written, run, or a device"


@pytest.mark.req("G-11")
def test_programs_find_no_list(site: Site) -> None:
    names = "/proc/self/mountinfo /proc/self/mounts /proc/self/mountstats /etc/mtab"
    ran = site.run(site.confinement("L3"), "sh", "-c", f"cat {names}; df . /tmp /cache | wc -l")
    assert ran.stdout == "4\n", ran


def test_no_descriptor_of_a_namespace_is_handed_on(site: Site) -> None:
    ran = site.run(site.confinement("L3"), "sh", "-c", "ls /proc/self/fd")
    assert ran.stdout.split() == ["0", "1", "2", "3"]
