"""Groups are made where they can be, with their limits, and nothing is left of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.model.limits import StageLimits
from custody.supervise.limits.cgroup import RUNTIME, ControlGroup, Groups, Hierarchy, NoGroup
from support.cgroups import Kernel

LIMITS = StageLimits(processes=7, memory=1 << 20)

pytestmark = pytest.mark.req("G-09")


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """Return a kernel that has groups."""
    return Kernel(tmp_path, monkeypatch)


def words(path: Path) -> list[str]:
    return path.read_text().split()


def test_a_group_has_its_limits(kernel: Kernel) -> None:
    group = ControlGroup(f"{kernel.own}/g", LIMITS)
    names = ("pids.max", "memory.max", "memory.swap.max", "memory.oom.group")
    told = [(kernel.own / "g" / name).read_text() for name in names]
    assert told == ["8", str(1 << 20), "0", "1"], "the server of a sandbox is in it, too"
    group.add(4711)
    assert words(kernel.own / "g" / "cgroup.procs") == ["4711"]
    group.kill()
    assert words(kernel.own / "g" / "cgroup.kill") == ["1"]
    (kernel.own / "g" / "cgroup.procs").write_text("")
    group.remove()
    assert kernel.groups() == []
    group.remove()


@pytest.mark.parametrize(
    ("file", "text", "limit"),
    [
        ("pids.events", "max 3\n", "processes"),
        ("memory.events", "low 0\noom 1\noom_kill 2\noom_group_kill 1\n", "memory"),
        ("memory.events", "max 9\noom_kill 0\n", None),
        ("memory.events", "", None),
    ],
)
def test_what_the_kernel_refused_is_told(
    kernel: Kernel, file: str, text: str, limit: str | None
) -> None:
    group = ControlGroup(f"{kernel.own}/g", LIMITS)
    assert group.exceeded() is None
    (kernel.own / "g" / file).write_text(text)
    assert group.exceeded() == group.at_the_end() == limit


def test_a_kernel_without_swap_or_kill_has_groups(kernel: Kernel) -> None:
    kernel.missing = {"memory.swap.max", "cgroup.kill"}
    group = ControlGroup(f"{kernel.own}/g", LIMITS)
    group.kill()
    group.remove()
    assert kernel.groups() == []


def test_nothing_is_left_of_a_group_that_cannot_have_limits(kernel: Kernel) -> None:
    kernel.missing = {"pids.max"}
    with pytest.raises(NoGroup, match="No such file"):
        ControlGroup(f"{kernel.own}/g", LIMITS)
    assert kernel.groups() == []


def test_controllers_are_handed_on(kernel: Kernel) -> None:
    groups = Groups(kernel.hierarchy, {os.getpid()})
    first, second = groups.make(LIMITS), groups.make(LIMITS)
    assert words(kernel.own / "cgroup.subtree_control") == ["+memory", "+pids"]
    assert [Path(group.folder) for group in (first, second)] == kernel.groups()


def test_our_own_processes_move_out_of_the_way(kernel: Kernel) -> None:
    (kernel.own / "cgroup.procs").write_text(f"{os.getpid()}\n")
    groups = Groups(kernel.hierarchy, {os.getpid()})
    groups.make(LIMITS)
    assert words(kernel.own / RUNTIME / "cgroup.procs") == [str(os.getpid())]
    (kernel.own / RUNTIME / "cgroup.procs").write_text("")
    groups.leave(os.getpid())
    assert words(kernel.own / RUNTIME / "cgroup.procs") == [str(os.getpid())]


def test_a_group_that_hands_them_on_already_is_used_as_it_is(kernel: Kernel) -> None:
    (kernel.own / "cgroup.procs").write_text("1\n")
    (kernel.own / "cgroup.subtree_control").write_text("memory pids")
    groups = Groups(kernel.hierarchy, ())
    groups.make(LIMITS)
    assert len(kernel.groups()) == 1


def test_a_later_server_uses_what_an_earlier_one_has_made(kernel: Kernel) -> None:
    (kernel.own / "cgroup.procs").write_text(f"{os.getpid()}\n")
    Groups(kernel.hierarchy, {os.getpid()}).make(LIMITS).remove()
    (kernel.own / "cgroup.subtree_control").write_text("memory pids")
    later = Groups(Hierarchy(str(kernel.root), f"/own/{RUNTIME}"), {os.getpid()})
    assert Path(later.make(LIMITS).folder).parent == kernel.own
    later.leave(4711)
    assert "4711" in (kernel.own / RUNTIME / "cgroup.procs").read_text()


def test_nobody_elses_process_is_moved(kernel: Kernel) -> None:
    (kernel.own / "cgroup.procs").write_text(f"1\n{os.getpid()}\n")
    with pytest.raises(NoGroup, match="process 1 is in our group, and is not ours"):
        Groups(kernel.hierarchy, {os.getpid()}).make(LIMITS)
    assert kernel.groups() == []


def test_a_missing_controller_is_told(kernel: Kernel) -> None:
    (kernel.own / "cgroup.controllers").write_text("cpu memory")
    with pytest.raises(NoGroup, match="the controller pids is not to be had"):
        Groups(kernel.hierarchy, ()).make(LIMITS)


def test_a_folder_that_is_not_ours_is_told(kernel: Kernel) -> None:
    with pytest.raises(NoGroup, match="No such file"):
        Groups(Hierarchy(str(kernel.root), "/not/there"), ()).make(LIMITS)


def test_the_group_of_this_process_is_found_where_there_is_one() -> None:
    if " - cgroup2 " in Path("/proc/self/mountinfo").read_text():
        assert Path(Hierarchy.of_this_process().folder).is_dir()
    else:
        with pytest.raises(NoGroup, match="version 2"):
            Hierarchy.of_this_process()
