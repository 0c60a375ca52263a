"""The journal as it is, and as it grows."""

from __future__ import annotations

import subprocess

from support.shell import WAITING, Shell


def test_log_is_the_journal(sample: Shell) -> None:
    journal = (sample.folder / ".custody/runs/r1/events.jsonl").read_text()
    assert sample("log", "r1", "--json").out == journal
    assert len(sample("log", "r1").out.splitlines()) == journal.count("\n")


def test_log_follows_a_run_to_its_end(custody: Shell) -> None:
    custody.write("waiting.dot", WAITING)
    with custody.start(
        "run", "waiting.dot", "-v", "--run-id", "r1", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stderr is not None
        run.stderr.readline()
        with custody.start("log", "r1", "-f", stdout=subprocess.PIPE) as log:
            assert log.stdout is not None
            seen = [log.stdout.readline() for _ in range(5)]
            assert "StageStarted        wait" in seen[-1]
            run.terminate()
            assert run.wait(60) == 130
            rest, _ = log.communicate(timeout=60)
    assert log.returncode == 0
    assert "RunInterrupted" in rest
    run.communicate()
