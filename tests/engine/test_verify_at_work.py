"""A run is checked while it works, and wherever it was left: only what is wrong is found."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from custody import api
from custody.model.event import StageStarted
from custody.views.writer import ViewWriter
from support.bench import Bench
from support.counted import custody, told
from support.ending import Killed, ends_before
from support.lists import holds, part
from support.sweep import budget, chance

LONG = "Words and words. " * 200
PART = f"""digraph task {{
    start [shape=Mdiamond]
    draft [type=agent_task, prompt="Write ${{item}}: {LONG}", output_path="docs/${{index}}.md"]
    audit [type=agent_task, prompt="Audit ${{item}}", output_path="audits/${{index}}.md"]
    done [shape=Msquare]
    start -> draft -> audit -> done
}}
"""
BUSY = f"""
a [type=agent_task, prompt="{LONG}", output_path="docs/a.md", max_visits=100]
w [type=write_file, output_path="docs/w.md", content="{LONG}", max_visits=100]
b [prompt="y", max_visits=100, test.outcome_sequence="{"fail," * 15}success",
   max_retries=1, retry_delay="0s"]
tasks [type=each, pipeline="task.dot", items="1..6", max_parallel=3]
start -> a -> w -> b
b -> a [condition="outcome=fail"]
b -> tasks [condition="outcome=success"]
tasks -> done
"""
THREE = """
a [type=write_file, output_path="docs/a.md", content="a"]
b [type=agent_task, prompt="b", output_path="docs/b.md"]
c [prompt="c"]
start -> a -> b -> c -> done
"""
CHANGES = {
    "changed": THREE.replace('prompt="b"', 'prompt="B"'),
    "removed": 'a [type=write_file, output_path="docs/a.md", content="a"]\n'
    'c [prompt="c"]\nstart -> a -> c -> done',
    "renamed": THREE.replace("b [", "d [").replace("-> b", "-> d"),
    "all anew": 'e [prompt="e"]\nstart -> e -> done',
}


def wrong(bench: Bench, run_id: str = "r1") -> tuple[object, ...]:
    return api.verify(run_id, runsdir=str(bench.runsdir)).mismatches


def busy(bench: Bench, run_id: str) -> list[str]:
    part(bench, PART)
    return [
        "run", bench.pipeline(BUSY, graph="max_steps=1000"), "--workdir", str(bench.workdir),
        "--runsdir", str(bench.runsdir), "--run-id", run_id, "--agent", "fake", "--resume",
    ]  # fmt: skip


@pytest.mark.req("G-21")
@pytest.mark.timeout(1200)
def test_every_look_at_a_run_at_work_is_right(bench: Bench) -> None:
    looks = 0
    for number in range(round(budget(2, 60))):
        run_id = f"r{number}"
        process = custody(*busy(bench, run_id))
        while process.poll() is None:
            if bench.path("events.jsonl", run_id).exists():
                assert wrong(bench, run_id) == ()
                looks += 1
        assert process.returncode == 0, process.communicate()
        process.communicate()
        holds(bench, run_id)
    assert looks >= 10


@pytest.mark.req("G-21")
@pytest.mark.timeout(1200)
def test_a_run_that_is_killed_at_any_moment_verifies(bench: Bench) -> None:
    random = chance("killed and looked at")
    for _ in range(round(budget(6, 300))):
        process = custody(*busy(bench, "r1"))
        deadline = time.monotonic() + random.uniform(0.3, 2.5)
        while time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.01)
        told(process, signal.SIGKILL)
        if bench.path("events.jsonl").exists():
            assert wrong(bench) == ()
    assert api.resume("r1", runsdir=str(bench.runsdir)).summary.status == "PASS"
    holds(bench)


@contextmanager
def dying(monkeypatch: pytest.MonkeyPatch, moment: str) -> Iterator[None]:
    """Expect the block to be ended where the views are begun, or finished."""

    def dies(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(ViewWriter, moment, dies)
        with pytest.raises(Killed):
            yield


def change(bench: Bench, body: str) -> str:
    pipeline = bench.pipeline(body, name="changed.dot")
    runsdir = str(bench.runsdir)
    return api.resume("r1", runsdir=runsdir, pipeline=pipeline, accept_change=True).summary.status


@pytest.mark.req("G-21")
@pytest.mark.parametrize("body", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("ended", [True, False], ids=["ended", "left"])
def test_a_changed_run_verifies(bench: Bench, body: str, ended: bool) -> None:
    if ended:
        bench.run(THREE)
    else:
        with ends_before(StageStarted, "c"):
            bench.run(THREE)
    assert change(bench, body) == "PASS"
    assert wrong(bench) == ()
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "PASS"
    assert change(bench, THREE) == "PASS"
    assert wrong(bench) == ()


@pytest.mark.req("G-21")
@pytest.mark.parametrize("body", CHANGES.values(), ids=CHANGES)
def test_a_change_that_is_cut_short_verifies(
    bench: Bench, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run(THREE)

    with dying(monkeypatch, "begin"):
        change(bench, body)
    assert wrong(bench) == ()
    with dying(monkeypatch, "finish"):
        api.resume("r1", runsdir=str(bench.runsdir))
    assert wrong(bench) == ()
    assert api.resume("r1", runsdir=str(bench.runsdir)).summary.status == "PASS"
    assert wrong(bench) == ()


@pytest.mark.req("G-21")
def test_a_fork_verifies_before_it_has_gone_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run(THREE)

    with dying(monkeypatch, "begin"):
        api.fork("r1", "c", runsdir=str(bench.runsdir), run_id="r2")
    assert wrong(bench, "r2") == ()


@pytest.mark.parametrize("name", ["nodes/a/1.1/prompt.md", "docs/a.md", "stranger", "nodes/x/y"])
def test_what_is_wrong_for_good_is_found_in_a_run_that_is_not_at_rest(
    bench: Bench, name: str
) -> None:
    asks = 'ask [prompt="x", agent="outbox"]\nstart -> a -> ask -> done'
    bench.run(f'a [type=agent_task, prompt="{LONG}", output_path="docs/a.md"]\n{asks}')
    assert wrong(bench) == ()
    path: Path = bench.path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("changed")
    assert len(wrong(bench)) == 1
