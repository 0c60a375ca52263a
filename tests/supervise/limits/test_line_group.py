"""A line has a group while it runs, where there can be one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.sandbox.confinement import Confinement
from custody.supervise.limits.cgroup import Hierarchy, NoGroup
from custody.supervise.limits.line_group import LineGroups, family
from support.cgroups import Kernel

LINE = Confinement(level="L2", workspace="/ws")

pytestmark = pytest.mark.req("G-09")


def test_a_line_has_a_group_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel(tmp_path, monkeypatch)
    (kernel.own / "cgroup.subtree_control").write_text("memory pids")
    groups = LineGroups(lambda: kernel.hierarchy)
    for _ in range(2):
        with groups.of(LINE) as group:
            assert group is not None
            assert groups.has_one
            procs = Path(group.folder, "cgroup.procs")
            groups.add(4711)
            assert procs.read_text() == "4711"
            with groups.joined():
                assert procs.read_text().startswith(str(os.getpid()))
            assert (kernel.own / "cgroup.procs").read_text().startswith(str(os.getpid()))
            procs.write_text("")
        assert kernel.groups() == []
        assert not groups.has_one


def test_where_there_is_none_a_line_does_without() -> None:
    asked = []

    def find() -> Hierarchy:
        asked.append(1)
        raise NoGroup("version 2 is not mounted")

    groups = LineGroups(find)
    for line in (None, LINE, LINE):
        with groups.of(line) as group, groups.joined():
            groups.add(4711)
            assert group is None
    assert asked == [1]


def test_the_family_of_a_server_is_its_reaper_and_the_runtime() -> None:
    assert {os.getpid(), os.getppid()} <= family()
    assert len(family()) == 3
