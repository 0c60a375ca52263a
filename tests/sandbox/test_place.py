"""The workspace appears at the path of the source, so that a project's own tools work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from custody import api
from custody.model.event import PipelineStarted, RequestAnswered
from custody.sandbox.confinement import WORKSPACE_VIEW, Confinement
from custody.sandbox.place import place_of
from support.bench import Bench
from support.sandboxes import Site


@pytest.mark.req("U-08")
class TestPlace:
    @pytest.mark.parametrize("source", ["/srv/project", "/tmp/project", "/home/me/project"])
    def test_it_is_the_path_of_the_source(self, source: str) -> None:
        assert place_of(source) == (source, "")

    def test_without_a_source_it_is_a_folder_of_its_own(self) -> None:
        assert place_of("") == (WORKSPACE_VIEW, "")

    def test_links_are_followed(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to("real")
        assert place_of(f"{tmp_path}/link").path == f"{tmp_path.resolve()}/real"

    @pytest.mark.parametrize("source", ["/usr/src/x", "/etc", "/proc/1", "/cache/x", "/dev/shm/x"])
    def test_the_place_of_something_else_is_not_taken(self, source: str) -> None:
        place = place_of(source)
        assert place.path == WORKSPACE_VIEW
        assert "the system's" in place.obstacle

    @pytest.mark.parametrize("source", ["/", "/home", "/var", "/tmp"])
    def test_nor_one_that_holds_what_stages_have(self, source: str) -> None:
        place = place_of(source)
        assert place.path == WORKSPACE_VIEW
        assert "for themselves" in place.obstacle


def at(site: Site, place: str, *tools: str) -> Confinement:
    confinement = site.confinement("L3")
    readable = (*confinement.readable, *tools)
    return msgspec.structs.replace(confinement, place=place, readable=readable)


@pytest.mark.req("U-08", "G-06")
class TestInside:
    @pytest.mark.parametrize("place", ["/srv/a/project", "/tmp/project", "/home/me/a/project"])
    def test_only_what_may_be_changed_is(self, site: Site, place: str) -> None:
        (site.workspace / "src").mkdir()
        script = (
            "echo 1 > src/a; echo 2 > kept.txt; echo 3 > new; mkdir -p src/b; mv src/a src/b/a;"
            f"mv /home/me /home/you; mv {place} {place}2; touch {place}/../x; cat src/b/a kept.txt"
        )
        confinement = msgspec.structs.replace(at(site, place), changeable=("src",))
        ran = site.run(confinement, "sh", "-c", script)
        assert ran.stdout == "1\nkept"
        again = site.run(confinement, "sh", "-c", "ls; ls src/b")
        assert again.stdout.split() == ["kept.txt", "src", "a"]

    @pytest.mark.parametrize("place", ["/srv/project", "/tmp/project", "/home/me/project"])
    def test_nothing_can_be_changed_where_nothing_may(self, site: Site, place: str) -> None:
        confinement = msgspec.structs.replace(at(site, place), changeable=())
        ran = site.run(confinement, "sh", "-c", "echo 2 > kept.txt; echo 3 > new; cat kept.txt; ls")
        assert ran.stdout == "keptkept.txt\n"

    @pytest.mark.parametrize("above", ["/home/me", "/tmp/me"])
    def test_nobody_puts_another_folder_in_its_place(self, site: Site, above: str) -> None:
        """A judge that comes later is started by the path of the workspace."""
        place = f"{above}/a/project"
        script = f"mv {above} {above}2; mkdir -p {place}; echo mine > {place}/own; ls {place}"
        ran = site.run(at(site, place), "sh", "-c", script)
        assert ran.stdout.split() == ["kept.txt", "own"], ran
        assert "mv: cannot move" in ran.stderr

    def test_nothing_of_the_folders_above_is_seen(self, site: Site) -> None:
        project = site.home / "project"
        project.mkdir()
        script = f"pwd; ls {site.home}; cat kept.txt; ls /ws; touch {site.home}/x"
        ran = site.run(at(site, str(project)), "sh", "-c", script)
        assert ran.stdout.split() == [str(project), "project", "kept"]
        assert "/ws" in ran.stderr

    def test_a_toolchain_of_the_source_stays_as_it_is_outside(self, site: Site) -> None:
        project = site.home / "project"
        (project / "tool" / "bin").mkdir(parents=True)
        program = project / "tool" / "bin" / "judge"
        program.write_text("#!/bin/sh\necho outside\n")
        program.chmod(0o755)
        copy = site.workspace / "tool" / "bin"
        copy.mkdir(parents=True)
        (copy / "judge").write_text("#!/bin/sh\necho changed\n")
        (copy / "judge").chmod(0o755)
        site.environment["PATH"] = f"{project}/tool/bin:{site.environment['PATH']}"
        confinement = at(site, str(project), f"{project}/tool/bin")
        assert site.run(confinement, "judge").stdout == "outside\n"
        told = site.run(at(site, str(project), f"{project}/tool/bin"), "touch", "tool/bin/judge")
        assert "Read-only" in told.stderr

    @pytest.mark.parametrize("act", ["mv tool/bin tool/old", "rmdir tool/bin", "mv tool old"])
    def test_a_toolchain_of_the_source_cannot_be_moved_away(self, site: Site, act: str) -> None:
        project = site.home / "project"
        (project / "tool" / "bin").mkdir(parents=True)
        (project / "tool" / "bin" / "judge").write_text("outside\n")
        script = (
            f"{act} 2> /dev/null; mkdir -p tool/bin; echo mine > tool/bin/judge; cat tool/bin/judge"
        )
        ran = site.run(at(site, str(project), f"{project}/tool/bin"), "sh", "-c", script)
        assert ran.stdout == "outside\n", ran

    def test_it_needs_no_room_in_the_workspace(self, site: Site) -> None:
        project = site.home / "project"
        (project / "tool").mkdir(parents=True)
        (project / "tool" / "a").write_text("there\n")
        confinement = at(site, str(project), f"{project}/tool")
        assert site.run(confinement, "cat", "tool/a").stdout == "there\n"
        assert not (site.workspace / "tool").exists()

    def test_a_link_in_its_place_leads_nowhere(self, site: Site) -> None:
        project = site.home / "project"
        (project / "tool" / "bin").mkdir(parents=True)
        (site.workspace / "tool").symlink_to("../../../../../../usr")
        script = "ls /usr/bin | grep -c . | grep -vx 0 > /dev/null && readlink tool"
        ran = site.run(at(site, str(project), f"{project}/tool/bin"), "sh", "-c", script)
        assert ran.result.succeeded


def make_venv(folder: Path) -> None:
    """Make a project with a virtual environment in which it is installed for editing."""
    (folder / "src" / "thing").mkdir(parents=True)
    (folder / "src" / "thing" / "__init__.py").write_text("VALUE = 1\n")
    venv = [sys.executable, "-m", "venv", "--without-pip", str(folder / ".venv")]
    subprocess.run(venv, check=True)
    libraries = next((folder / ".venv").glob("lib/python3*/site-packages"))
    (libraries / "thing.pth").write_text(f"{folder}/src\n")
    script = folder / ".venv" / "bin" / "say"
    script.write_text(
        f"#!{folder}/.venv/bin/python\nimport thing\nprint(thing.VALUE, thing.__file__)\n"
    )
    script.chmod(0o755)


TOOL = 'start -> use -> done\n use [type=tool, tool_command="{}"]'


@pytest.mark.req("U-08")
class TestARun:
    @pytest.mark.parametrize("active", [False, True])
    def test_a_virtual_environment_of_the_source_works(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch, *, active: bool
    ) -> None:
        make_venv(bench.workdir)
        if active:
            path = f"{bench.workdir}/.venv/bin:{os.environ['PATH']}"
            monkeypatch.setenv("PATH", path)
        bench.run(TOOL.format("say" if active else ".venv/bin/say"), confinement="L3")
        said = bench.path("nodes/use/1.1/tool.stdout.log").read_text()
        assert said == f"1 {bench.workdir}/src/thing/__init__.py\n"
        ack = next(fact.ack for fact in bench.facts() if isinstance(fact, RequestAnswered))
        assert ack.confined is not None
        assert ack.confined.workspace == str(bench.workdir)

    def test_a_virtual_environment_cannot_show_what_is_no_python(self, bench: Bench) -> None:
        private = bench.home / "private" / "bin"
        private.mkdir(parents=True)
        (private / "letter").write_text("dear")
        (bench.workdir / ".venv").mkdir()
        (bench.workdir / ".venv" / "pyvenv.cfg").write_text(f"home = {private}\n")
        (bench.workdir / "look.sh").write_text(f"cat {private}/letter\n")
        result = bench.run(TOOL.format("sh look.sh"), confinement="L3")
        assert result.summary.status == "FAIL"

    def test_it_stays_where_it_was_when_it_is_resumed_or_forked(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(bench.workdir)
        (bench.workdir / "go.sh").write_text("pwd\n")
        pipeline = bench.pipeline(TOOL.format("sh go.sh"))
        api.run(pipeline, workdir=".", runsdir=str(bench.runsdir), run_id="r1", confinement="L3")
        monkeypatch.chdir("/")
        api.fork("r1", "use", runsdir=str(bench.runsdir), run_id="r2")
        for run in ("r1", "r2"):
            said = bench.path("nodes/use/1.1/tool.stdout.log", run).read_text()
            assert said == f"{bench.workdir}\n"
            started = bench.facts(run)[0]
            assert isinstance(started, PipelineStarted)
            assert started.workspace_at == str(bench.workdir)

    def test_a_run_without_a_source_has_it_where_it_was(self, bench: Bench) -> None:
        pipeline = bench.pipeline(TOOL.format("pwd"))
        api.run(pipeline, runsdir=str(bench.runsdir), run_id="r1", confinement="L3")
        assert bench.path("nodes/use/1.1/tool.stdout.log").read_text() == f"{WORKSPACE_VIEW}\n"
