"""A run that was confined is not taken up where that confinement is not to be had."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from custody.errors import ConfinementMissing
from support.agent_run import AgentPlace, after_a_kill, after_resume, contents, tree
from support.remains import Remains

WITHOUT_NAMESPACES = (
    "unshare", "--user", "--map-root-user", "sh", "-c",
    'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', "sh",
)  # fmt: skip
"""A machine that gives nobody another user namespace: the kernel counts them in each one."""


@pytest.mark.req("P-11", "P-18")
def test_resume_without_the_level_is_refused(tmp_path: Path) -> None:
    whole = AgentPlace.make(tmp_path / "whole")
    assert whole.run().returncode == 0
    place = AgentPlace.make(tmp_path / "p")
    source = tree(place.home / "project")
    with Remains() as remains:
        with place.started(PAUSE="600"):
            place.at_work()
        assert [*filter(None, after_a_kill(place, remains, source))] == []
        before = contents(place.run_directory)
        refused = resume(place, *WITHOUT_NAMESPACES)
        assert (refused.returncode, refused.stdout) == (ConfinementMissing.exit_code, "")
        assert "this machine cannot confine programs at L3" in refused.stderr
        assert contents(place.run_directory) == before
        assert [*filter(None, after_resume(place, remains, source, whole.state()))] == []


def resume(place: AgentPlace, *prefix: str) -> subprocess.CompletedProcess[str]:
    """Go on with a run, under another command where given."""
    return subprocess.run(
        [*prefix, sys.executable, "-m", "custody", "resume", "r1", "--runsdir", "runs"],
        cwd=place.home,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
