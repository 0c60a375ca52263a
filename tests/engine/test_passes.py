"""How often a journal is read, from its first line to its last, by what users do with runs.

A run of sixty stages is long enough that a line that is read by itself does not count.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from custody import api
from custody.cli import main
from custody.errors import JournalBroken
from support.bench import Bench
from support.journals import readings

STAGES = 60
LINES = 0.2
"""What lines that are read by themselves, and the look at the end, may add, in passes."""


def body(change: str = "") -> str:
    nodes = "\n".join(f's{n} [prompt="{n}{change if n == 40 else ""}"]' for n in range(STAGES))
    way = " -> ".join(f"s{n}" for n in range(STAGES))
    return f"{nodes}\nstart -> {way} -> done"


def killed(bench: Bench, tail: bytes = b"") -> None:
    """Leave a run in its middle, as a process does that is killed."""
    bench.run(body())
    journal = bench.path("events.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[: len(lines) // 2]) + tail)
    bench.path("checkpoint.json").unlink()
    bench.path("manifest.json").unlink()


def passes(bench: Bench, act: Callable[[], object]) -> float:
    """Return how often the journal was read, as long as it was before."""
    journal = bench.path("events.jsonl").resolve()
    length = journal.stat().st_size
    with readings() as found:
        act()
    return found.bytes.get(str(journal), 0) / length


def resume(bench: Bench, pipeline: str = "") -> None:
    """Take the run to its end."""
    runsdir, change = str(bench.runsdir), bool(pipeline)
    result = api.resume("r1", runsdir=runsdir, pipeline=pipeline, accept_change=change)
    assert result.summary.status == "PASS"


@pytest.mark.parametrize("tail", [b"", b'{"seq":', bytes(300) + b"\n"])
def test_a_resume_reads_twice(bench: Bench, tail: bytes) -> None:
    killed(bench, tail)
    assert passes(bench, lambda: resume(bench)) < 2 + LINES


def test_so_does_that_of_an_ended_run(bench: Bench) -> None:
    bench.run(body())
    assert passes(bench, lambda: resume(bench)) < 2 + LINES


def test_and_that_of_a_run_that_waits_or_was_answered(bench: Bench) -> None:
    asks = body().replace('s59 [prompt="59"]', 's59 [prompt="59", agent="outbox"]')
    assert bench.run(asks).waiting == "s59/1.1"
    runsdir = str(bench.runsdir)
    assert passes(bench, lambda: api.resume("r1", runsdir=runsdir)) < 2 + LINES
    api.answer("s59/1.1", "yes", runsdir=runsdir)
    assert passes(bench, lambda: resume(bench)) < 2 + LINES


def test_a_changed_pipeline_is_tried_first(bench: Bench) -> None:
    """How far the record agrees with it is found out by an engine that is thrown away."""
    bench.run(body())
    changed = bench.pipeline(body(" better"), name="changed.dot")
    assert passes(bench, lambda: resume(bench, changed)) < 3 + LINES


def test_a_refused_resume_reads_once(bench: Bench) -> None:
    bench.run(body())
    journal = bench.path("events.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))

    def refused() -> None:
        with pytest.raises(JournalBroken, match="does not reach"):
            resume(bench)

    assert passes(bench, refused) < 1 + LINES


LOOKS: dict[str, tuple[Callable[[str], object], int]] = {
    "verify": (lambda runsdir: api.verify("r1", runsdir=runsdir), 2),
    "show": (lambda runsdir: api.show("r1", runsdir=runsdir), 2),
    "show NODE": (lambda runsdir: api.account("r1", "s7", runsdir=runsdir), 1),
    "replay": (lambda runsdir: api.replay("r1", runsdir=runsdir), 2),
    "diff": (lambda runsdir: [*api.changes("r1", runsdir=runsdir)], 2),
    "diff NODE": (lambda runsdir: [*api.changes("r1", "s7", runsdir=runsdir)], 1),
    "log": (lambda runsdir: [*api.events("r1", runsdir=runsdir)], 1),
    "publish": (lambda runsdir: api.publish("r1", f"{runsdir}/x", runsdir=runsdir), 2),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Return where a run has ended, which nobody changes who looks at it."""
    bench = Bench(tmp_path_factory.mktemp("whole"))
    bench.run(body())
    return bench


@pytest.mark.parametrize("command", LOOKS)
def test_what_looks_at_a_run(whole: Bench, command: str) -> None:
    act, most = LOOKS[command]
    assert most - LINES < passes(whole, lambda: act(str(whole.runsdir))) < most + LINES


def test_the_command_line_adds_nothing(bench: Bench) -> None:
    killed(bench)
    words = ["resume", "r1", "--runsdir", str(bench.runsdir)]
    assert passes(bench, lambda: main(words)) < 2 + LINES


def test_a_fork_reads_its_origin_twice_and_itself_once(bench: Bench) -> None:
    bench.run(body())
    journals = [bench.path("events.jsonl", run_id).resolve() for run_id in ("r1", "r2")]
    with readings() as found:
        api.fork("r1", "s59", runsdir=str(bench.runsdir), run_id="r2")
    origin, itself = (found.bytes[str(path)] / path.stat().st_size for path in journals)
    assert origin < 2 + LINES
    assert itself < 1 + LINES
