"""The tool of a job as a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import MalformedDocument, UsageError
from custody.executors.jobs.kind import tool_kind
from custody.model.session import SessionKind
from custody.model.skill.job import JobRuntime, JobSkill, JobStart, SelectedDesign

pytestmark = pytest.mark.req("S-17")


def kind(home: Path, own: str = "", *, tool: str = "tclsh", adapter: str = "local") -> SessionKind:
    (home / "custody").mkdir(exist_ok=True)
    (home / "custody" / "custody.toml").write_text(own)
    job = JobStart(
        skill=JobSkill(name="count", version="1", subskill_path="/s"),
        runtime=JobRuntime(cwd="/d", run_dir="/d/runs/j1", adapter=adapter),
        tool=tool,
    )
    enc = f"{home}/design/top.enc"
    design = SelectedDesign(enc_path=enc, enc_dat_path=f"{enc}.dat")
    return tool_kind(job, design, "/d/runs/j1", {"XDG_CONFIG_HOME": str(home)})


def test_it_sees_its_scripts_and_the_design_and_writes_reports_alone(tmp_path: Path) -> None:
    found = kind(tmp_path)
    assert found.argv == ("tclsh", "/d/runs/j1/scripts/bootstrap.tcl")
    assert found.readable == ("/d/runs/j1/scripts", f"{tmp_path}/design")
    assert found.writable == ("/d/runs/j1/reports",)
    assert (found.network, found.reach, found.passed, found.launcher) == ("none", (), (), ())
    assert found.variables["SP_ENC_DAT_PATH"] == f"{tmp_path}/design/top.enc.dat"
    assert found.variables["SP_JOB_ID"] == "j1"
    assert (found.start, found.pulse, found.hung) == (60.0, 60.0, 30.0)


def test_a_design_that_is_a_link_is_seen_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "design").mkdir()
    (tmp_path / "real.enc").write_text("")
    (tmp_path / "design" / "top.enc").symlink_to(tmp_path / "real.enc")
    assert kind(tmp_path).readable[-1] == f"{tmp_path}/real.enc"


def test_the_user_alone_says_how_a_tool_is_started(tmp_path: Path) -> None:
    own = """
    [skills.tools.innovus]
    command = ["/opt/innovus", "-no_gui", "-init"]
    readable = ["/opt/pdk"]
    reach = ["licenses.example:5280"]
    passed = ["LM_LICENSE_FILE"]
    ready_s = 300.0

    [skills.launchers."dsub-i"]
    command = ["/opt/dsub-i", "-q", "big"]
    """
    found = kind(tmp_path, own, tool="innovus", adapter="dsub-i")
    assert found.argv[:3] == ("/opt/innovus", "-no_gui", "-init")
    assert found.readable[-1] == "/opt/pdk"
    assert (found.reach, found.passed) == (("licenses.example:5280",), ("LM_LICENSE_FILE",))
    assert (found.launcher, found.start) == (("/opt/dsub-i", "-q", "big"), 300.0)


def test_what_cannot_be_meant_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no launcher named 'teleport'"):
        kind(tmp_path, adapter="teleport")
    with pytest.raises(MalformedDocument):
        kind(tmp_path, "[skills.tools.tclsh]\ncommand = 1\n")


def test_a_tool_may_print_as_much_as_its_user_says(tmp_path: Path) -> None:
    assert kind(tmp_path).output == 64 << 20
    assert kind(tmp_path, '[skills.tools.tclsh]\noutput = "256M"\n').output == 256 << 20
    for size in ("257M", "0", "much"):
        with pytest.raises(MalformedDocument, match="output: "):
            kind(tmp_path, f'[skills.tools.tclsh]\noutput = "{size}"\n')
