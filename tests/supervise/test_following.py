"""A line can be given an input, followed while it runs, and ended when it falls silent."""

from __future__ import annotations

from custody.supervise.supervisor import Limits, StreamName
from support.processes import Bench, shell_line

LONG = 60.0


class Notes:
    """Keeps what a listener is told."""

    def __init__(self) -> None:
        self.said: dict[str, bytes] = {"stdout": b"", "stderr": b""}
        self.beats: list[float] = []

    def heard(self, stream: StreamName, data: bytes) -> None:
        self.said[stream] += data

    def beat(self, seconds: float) -> None:
        self.beats.append(seconds)


def test_a_file_is_the_input(bench: Bench) -> None:
    given = bench.home / "prompt.md"
    given.write_text("a prompt\n")
    ran = bench.run_line(shell_line("cat; cat"), Limits(LONG), stdin=str(given))
    assert ran.stdout == b"a prompt\n"


def test_the_next_line_has_no_input_again(bench: Bench) -> None:
    given = bench.home / "prompt.md"
    given.write_text("a prompt\n")
    bench.run_line(shell_line("true"), Limits(LONG), stdin=str(given))
    assert bench.shell("cat").stdout == b""


def test_an_input_that_is_missing_or_a_link_is_a_failure(bench: Bench) -> None:
    (bench.home / "link").symlink_to("/etc/hostname")
    for name in ("missing", "link"):
        ran = bench.run_line(shell_line("cat"), Limits(LONG), stdin=str(bench.home / name))
        assert ran.result.failure.startswith("input_missing")
        assert not ran.result.succeeded


def test_output_is_heard_as_it_is_kept(bench: Bench) -> None:
    notes = Notes()
    ran = bench.run_line(shell_line("echo out; echo err >&2"), Limits(LONG), listener=notes)
    assert notes.said == {"stdout": ran.stdout, "stderr": ran.stderr}
    assert notes.beats == []


def test_it_beats_while_a_line_runs(bench: Bench) -> None:
    notes = Notes()
    ran = bench.run_line(shell_line("sleep 0.5"), Limits(LONG, heartbeat=0.1), listener=notes)
    assert ran.result.succeeded
    assert notes.beats
    assert notes.beats == sorted(notes.beats)


def test_a_line_that_falls_silent_is_ended(bench: Bench) -> None:
    ran = bench.shell("echo begun; sleep 300", Limits(LONG, quiet=0.3))
    assert ran.result.ended_by == "inactivity"
    assert ran.result.failure_reason == "inactivity"
    assert ran.result.exit_code is None
    assert ran.stdout == b"begun\n"


def test_silence_counts_from_the_first_output(bench: Bench) -> None:
    assert bench.shell("sleep 0.5", Limits(LONG, quiet=0.1)).result.succeeded


def test_each_output_counts_anew(bench: Bench) -> None:
    text = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done"
    assert bench.shell(text, Limits(LONG, quiet=0.5)).result.succeeded
