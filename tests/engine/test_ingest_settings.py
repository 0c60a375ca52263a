"""Documents of a run are taken in, and whatever goes wrong there the run ends as it would have."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from custody import api
from custody.model.event import AnyFact, RequestAnswered, StageStarted
from custody.model.ingest import IngestLimits
from custody.model.ingest_event import IngestFact, IngestFailed, IngestRejected, IngestWritten
from custody.model.layout import INGEST_MANIFEST
from custody.model.request import WriteRequest, ingest_of
from support.bench import Bench
from support.hostile import facts_of, quoted
from support.privileges import modes_count

GOOD = "```python file=src/a.py\nx = 1\n```\n"
EVIL = "```sh file=../evil\nx\n```\n"
ENDS = ("StageCompleted", "StageFailed", "RouteChosen", "PipelineCompleted", "PipelineFailed")


def writing(text: str, more: str = "") -> str:
    """Return a pipeline that writes one document."""
    node = f'w [type=write_file, output_path="docs/a.md", content={quoted(text)}{more}]'
    return f"{node}\nstart -> w -> done"


def reasons(bench: Bench) -> dict[str, str]:
    """Return what became of each block, by the path that it names."""
    manifest = json.loads(bench.path(f"nodes/w/1.1/{INGEST_MANIFEST}").read_text())
    return {each["declared_file"]: each["reason"] or "written" for each in manifest["artifacts"]}


def holds(bench: Bench, run_id: str = "r1") -> bool:
    """Whether everything about the run is proven."""
    runsdir = str(bench.runsdir)
    api.replay(run_id, runsdir=runsdir)
    return api.verify(run_id, runsdir=runsdir).mismatches == ()


@pytest.mark.req("I-03")
def test_it_is_off_by_default(bench: Bench) -> None:
    bench.run(writing(GOOD))
    assert not bench.path("workspace/src").exists()
    assert not [fact for fact in bench.facts() if isinstance(fact, IngestFact)]


@pytest.mark.req("I-03", "I-07", "I-08")
def test_files_events_and_manifest_of_a_written_file(bench: Bench) -> None:
    result = bench.run(writing(GOOD + EVIL + "```sh\n```\n"), ingest="on")
    assert result.summary.status == "PASS"
    assert bench.path("workspace/src/a.py").read_text() == "x = 1\n"
    events = bench.events()
    at = events.index("IngestWritten w")
    assert events[at - 1 : at + 7] == [
        "StageStarted w", "IngestWritten w", "IngestSkipped w", "IngestRejected w",
        "RequestAnswered w", "GatePassed w", "GatePassed w", "StageCompleted w",
    ]  # fmt: skip
    answered = next(fact for fact in bench.facts() if isinstance(fact, RequestAnswered))
    assert f"nodes/w/1.1/{INGEST_MANIFEST}" in [item.path for item in answered.ack.evidence]
    assert reasons(bench) == {"src/a.py": "written", "../evil": "traversal", "": "no_file"}
    assert holds(bench)


@pytest.mark.req("I-03")
def test_the_text_of_an_agent_is_taken_in(bench: Bench) -> None:
    book = bench.home / "book.json"
    book.write_text(json.dumps({"answers": [{"text": GOOD}]}))
    bench.run(
        'w [type=agent_task, prompt="x", output_path="docs/a.md", ingest=true]\nstart -> w -> done',
        agent=f"fake:{book}",
    )
    assert bench.path("workspace/src/a.py").read_text() == "x = 1\n"
    assert holds(bench)


@pytest.mark.req("I-03")
def test_the_text_of_a_program_is_taken_in_too(bench: Bench) -> None:
    (bench.workdir / "say.sh").write_text(f"cat <<'E'\n{GOOD}E\n")
    result = bench.run(
        'w [type=agent_task, prompt="x", output_path="docs/a.md"]\nstart -> w -> done',
        agent="local_exec:sh say.sh",
        ingest="forced",
    )
    assert result.summary.status == "PASS"
    assert bench.path("workspace/src/a.py").read_text() == "x = 1\n"
    assert holds(bench)


@pytest.mark.req("I-09")
def test_no_secret_of_an_agent_is_taken_in(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "tr0ub4dor-and-3-and-4")
    book = bench.home / "book.json"
    text = GOOD + "```sh file=key\ntr0ub4dor-and-3-and-4\n```\n"
    book.write_text(json.dumps({"answers": [{"text": text}]}))
    bench.run(
        'w [type=agent_task, prompt="x", output_path="docs/a.md"]\nstart -> w -> done',
        agent=f"fake:{book}",
        ingest="on",
    )
    assert reasons(bench) == {"src/a.py": "written", "key": "secret"}
    files = [path for path in bench.path("").rglob("*") if path.is_file()]
    assert not [path for path in files if b"tr0ub4dor" in path.read_bytes()]


@pytest.mark.req("I-03")
@pytest.mark.parametrize(
    ("switch", "graph", "node", "on"),
    [
        ("off", "", "", False),
        ("on", "", "", True),
        ("off", "ingest=true", "", True),
        ("off", "ingest=true", ", ingest=false", False),
        ("on", "ingest=false", "", False),
        ("on", "ingest=false", ", ingest=true", True),
        ("forced", "ingest=false", ", ingest=false", True),
    ],
)
def test_who_decides(bench: Bench, switch: Any, graph: str, node: str, *, on: bool) -> None:
    bench.run(writing(GOOD, node), graph=graph, ingest=switch)
    assert bench.path("workspace/src/a.py").exists() is on
    assert holds(bench)


def test_limits_of_the_graph_and_of_the_node(bench: Bench) -> None:
    blocks = "".join(f"```sh file={name}\n{name * 9}\n```\n" for name in "abc")
    bench.run(
        writing(f"{blocks}```sh file=d\n{'d' * 99}\n```\n", ", ingest.max_files=2"),
        graph="ingest.max_files=1, ingest.max_bytes=50, ingest=true",
    )
    started = [fact for fact in bench.facts() if isinstance(fact, StageStarted)]
    (request,) = [fact.request for fact in started if isinstance(fact.request, WriteRequest)]
    assert ingest_of(request) == IngestLimits(files=2, file_bytes=50)
    assert reasons(bench) == {"a": "written", "b": "written", "c": "too_many", "d": "too_many"}


def test_what_the_node_may_not_write_is_rejected_and_the_stage_goes_on(bench: Bench) -> None:
    text = GOOD + "```sh file=b\nx\n```\n"
    result = bench.run(writing(text, ', allowed_write_paths="src/"'), ingest="on")
    assert result.summary.status == "PASS"
    assert reasons(bench) == {"src/a.py": "written", "b": "not_allowed"}
    assert not bench.path("workspace/b").exists()


def test_what_stood_there_is_kept(bench: Bench) -> None:
    (bench.workdir / "src").mkdir()
    (bench.workdir / "src" / "a.py").write_text("old\n")
    bench.run(writing(GOOD), ingest="on")
    (written,) = [fact for fact in bench.facts() if isinstance(fact, IngestWritten)]
    replaced = written.blocks[0].replaced
    assert bench.path(f"blobs/{replaced[:2]}/{replaced}").read_text() == "old\n"


def test_a_fork_and_a_resumed_run_know_what_was_taken_in(bench: Bench) -> None:
    node = f'w [type=write_file, output_path="docs/a.md", content={quoted(GOOD)}]'
    bench.run(f'{node}\nb [prompt="x"]\nstart -> w -> b -> done', ingest="on")
    api.fork("r1", "b", runsdir=str(bench.runsdir), run_id="r2")
    assert bench.path("workspace/src/a.py", "r2").read_text() == "x = 1\n"
    assert "IngestWritten w" in bench.events("r2")
    assert holds(bench, "r2")
    journal = bench.path("events.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    cut = next(n for n, line in enumerate(lines) if b'"RequestAnswered"' in line)
    journal.write_bytes(b"".join(lines[:cut]))  # a crash between the events and the answer
    for name in ("checkpoint.json", "manifest.json"):
        bench.path(name).unlink()
    assert api.resume("r1", runsdir=str(bench.runsdir)).summary.status == "PASS"
    assert bench.events().count("IngestWritten w") == 2
    assert holds(bench)


def ended(facts: list[AnyFact]) -> list[str]:
    """Return how stages and the run ended, and where it went."""
    return [repr(fact) for fact in facts if type(fact).__name__ in ENDS]


@pytest.mark.req("I-08")
class TestFailOpen:
    """Every step of it is made to fail; with and without it, the run ends the same."""

    def test_a_manifest_that_is_too_large_for_the_disk(self, bench: Bench) -> None:
        text = "```sh\n```\n" * 500
        bench.run(writing(text), run_id="without")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, hard))
        try:
            bench.run(writing(text), ingest="on")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        (failed,) = [fact for fact in bench.facts() if isinstance(fact, IngestFailed)]
        assert (failed.error_type, failed.traits.level) == ("STORAGE_FAILED", "error")
        assert ended(bench.facts()) == ended(bench.facts("without"))
        assert holds(bench)

    def test_a_folder_that_cannot_be_written(self, bench: Bench) -> None:
        (bench.workdir / "src").mkdir(mode=0o555)
        bench.run(writing(GOOD), run_id="without")
        with modes_count():
            bench.run(writing(GOOD), ingest="on")
        (rejected,) = [fact for fact in bench.facts() if isinstance(fact, IngestRejected)]
        assert rejected.traits.level == "error"
        assert ended(bench.facts()) == ended(bench.facts("without"))
        assert holds(bench)

    def test_a_disk_that_fills_up(self, bench: Bench, tmp_path: Path) -> None:
        blocks = "".join(f"```text file={name}\n{name * 64_000}\n```\n" for name in "abcd")
        book = bench.home / "book.json"
        book.write_text(json.dumps({"answers": [{"text": blocks}]}))
        pipeline = bench.pipeline(
            'w [type=agent_task, prompt="x", output_path="docs/a.md"]\nstart -> w -> done'
        )
        runs, kept = tmp_path / "small", tmp_path / "kept"
        runs.mkdir()
        script = (
            'mount -t tmpfs -o size=2000k none "$1" && '
            '"$2" -m custody run "$3" --runsdir "$1" --run-id r1 --agent "fake:$4" --ingest; '
            'code=$?; cp -a "$1" "$5"; exit $code'
        )
        words = [str(runs), sys.executable, pipeline, str(book), str(kept)]
        command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
        done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        facts = facts_of(kept / "r1")
        (rejected,) = [fact for fact in facts if isinstance(fact, IngestRejected)]
        assert {block.reason for block in rejected.blocks} == {"storage"}
        assert type(facts[-1]).__name__ == "PipelineCompleted"
        assert api.verify("r1", runsdir=str(kept)).mismatches == ()


@pytest.mark.req("U-10", "P-20")
def test_an_agent_is_told_the_form_once_whatever_is_tried_again(bench: Bench) -> None:
    body = (
        'a [type=agent_task, prompt="Write it.", output_path="docs/a.md", max_retries=1, '
        'retry_delay="0s", response_context=found]\nstart -> a -> done'
    )
    bench.run(body, ingest="forced")
    for attempt in ("1.1", "1.2"):
        prompt = bench.path(f"nodes/a/{attempt}/prompt.md").read_text()
        assert prompt.startswith("Write it.\n")
        assert prompt.count("## Files in your answer") == 1
    bench.run(body, run_id="r2")
    assert "## Files" not in bench.path("nodes/a/1.1/prompt.md", run_id="r2").read_text()
