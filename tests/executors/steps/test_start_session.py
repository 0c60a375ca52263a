"""The step that starts the tool of a job."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody import api
from custody.errors import MalformedDocument, UsageError
from custody.model.confinement import Confined
from custody.model.session_event import SessionClosed, SessionOpened
from custody.model.skill import PIPELINE
from support.jobs import QUICK, Job, JobSite

pytestmark = [pytest.mark.req("S-17"), pytest.mark.timeout(120)]


def test_the_tool_is_started_once_and_ends_with_the_job(tmp_path: Path) -> None:
    job = JobSite(tmp_path).run()
    facts = job.facts()
    opened = [fact for fact in facts if isinstance(fact, SessionOpened)]
    closed = [fact for fact in facts if isinstance(fact, SessionClosed)]
    assert [(fact.token, fact.argv[0]) for fact in opened] == [(1, "tclsh")]
    assert [fact.reason for fact in closed] == ["scripts_ended"]
    assert isinstance(opened[0].confined, Confined)
    for name in ("supervisor.log", "tclsh.stdout.log", "tclsh.stderr.log", "state.json", "ready"):
        assert (job.path / "session" / name).exists()


def test_a_launcher_that_there_is_not_fails_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = as_a_pipeline(JobSite(tmp_path), monkeypatch, adapter="teleport")
    assert job.verdict == ("FAIL", "SESSION_START_FAIL")
    assert "no launcher named 'teleport'" in job.manifest["message"]


def test_so_does_a_configuration_that_cannot_be_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = JobSite(tmp_path)
    site.own(QUICK.replace("ready_s = 20.0", 'ready_s = "soon"'))
    assert as_a_pipeline(site, monkeypatch).verdict == ("FAIL", "SESSION_START_FAIL")


def test_whoever_asks_for_a_skill_is_told_of_both_before_the_job_begins(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    with pytest.raises(UsageError, match="no launcher named 'teleport'"):
        site.run(adapter="teleport")
    site.own(QUICK.replace("ready_s = 20.0", 'ready_s = "soon"'))
    with pytest.raises(MalformedDocument):
        site.run()
    assert not Path(site.runsdir).exists()


def as_a_pipeline(site: JobSite, monkeypatch: pytest.MonkeyPatch, adapter: str = "local") -> Job:
    """Run the pipeline of jobs by its name, without what `custody skill` looks at before."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(site.config))
    said = {"skill": "count", "skill_path": str(site.skill), "design": "top"}
    said |= {"cwd": str(site.home), "adapter": adapter}
    return Job(api.run(PIPELINE, runsdir=site.runsdir, variables=said))


def test_the_tool_can_change_its_reports_and_nothing_else_of_the_run(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    site.script(
        "foreach name {queue/x ack/x scripts/x.tcl events.jsonl docs/x} {\n"
        "    if {![catch {open [file join $env(SP_RUN_DIR) $name] a} file]} {\n"
        '        close $file\n        error "$name can be written"\n    }\n}\n'
        "if {![catch {open [file join [file dirname $env(SP_ENC_PATH)] x] w}]} {\n"
        "    error {the design can be changed}\n}\n"
        "set file [open [file join $env(SP_REPORTS_DIR) cells.rpt] w]\nputs $file 1\nclose $file\n"
        "::custody::write_metrics {cells 1}\n"
    )
    job = site.run()
    assert job.verdict == ("PASS", "OK"), job.manifest["message"]


@pytest.mark.req("S-15")
def test_a_tool_that_cannot_be_started_said_why(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    site.own(QUICK + 'command = ["sh", "-c", "echo Error: no licence >&2; exit 1"]\n')
    job = site.run()
    assert (job.verdict[1], job.manifest["message"]) == (
        "SESSION_START_FAIL",
        "tclsh: exit code 1: Error: no licence",
    )


def test_so_did_its_launcher(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    site.own(
        "[skills.launchers.farm]\nstays = true\n"
        'command = ["sh", "-c", "echo farm: waiting >&2; echo farm: no such queue >&2; exit 1"]\n'
    )
    assert site.run(adapter="farm").manifest["message"] == (
        "tclsh: its launcher has ended (exit code 1): farm: no such queue"
    )
