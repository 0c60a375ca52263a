"""A run is checked while it works, and wherever it was left: only what is wrong is found."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from custody import api
from custody.model.event import StageStarted
from custody.model.evidence import Evidence
from custody.store.attempt_folder import AttemptFolder
from custody.store.mailbox import Box
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
AHEAD = f"""digraph task {{
    start [shape=Mdiamond]
    pick [type=agent_task, prompt="Pick ${{item}}", output_path="docs/p${{index}}.md"]
    ask [type=agent_task, prompt="Say ${{item}}", output_path="docs/s${{index}}.md", agent=outbox]
    draft [type=agent_task, prompt="Write ${{item}}", output_path="docs/d${{index}}.md"]
    audit [type=agent_task, prompt="Audit ${{item}}: {LONG}", output_path="audits/${{index}}.md"]
    done [shape=Msquare]
    start -> pick
    pick -> ask [condition="context.who=person"]
    pick -> draft
    draft -> audit -> done
    ask -> done
}}
"""
"""Two items get as far as ``audit`` while the third waits for a person."""
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


@pytest.fixture
def ahead(bench: Bench) -> Bench:
    """Return a bench with a run that waits while stages have begun whose turn has not come."""
    part(bench, AHEAD)
    picked = [{"text": "x", "context_updates": {"who": "person"}}]
    book = bench.home / "book.json"
    book.write_text(json.dumps({"answers": [{"text": "x"}], "nodes": {"tasks.3.pick": picked}}))
    body = 'tasks [type=each, pipeline="task.dot", items="1..3", max_parallel=3]'
    waiting = bench.run(f"{body}\nstart -> tasks -> done", agent=f"fake:{book}").waiting
    assert waiting == "tasks.3.ask/1.1"
    assert {"StageStarted tasks.1.audit", "StageStarted tasks.2.audit"} <= {*bench.events()}
    return bench


@pytest.mark.req("G-21")
def test_what_is_given_to_a_stage_is_there_before_its_turn(ahead: Bench) -> None:
    assert wrong(ahead) == ()
    for number in (1, 2):
        assert LONG.strip() in ahead.path(f"nodes/tasks.{number}.audit/1.1/prompt.md").read_text()
    forked = api.fork("r1", "tasks.2.audit", runsdir=str(ahead.runsdir), run_id="f1")
    assert forked.waiting == "tasks.3.ask/1.1"
    assert wrong(ahead, "f1") == ()
    api.answer("r1/tasks.3.ask/1.1", "Said.\n", runsdir=str(ahead.runsdir))
    assert api.resume("r1", runsdir=str(ahead.runsdir)).summary.status == "PASS"
    holds(ahead)


@pytest.mark.req("G-21")
def test_an_attempt_that_is_killed_while_it_begins_again_verifies(
    ahead: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was left of it is set aside, and what it is given is not there again."""
    ahead.path("nodes/tasks.1.audit/1.1/half.txt").write_text("left by a process that was killed")
    api.answer("r1/tasks.3.ask/1.1", "Said.\n", runsdir=str(ahead.runsdir))

    write = AttemptFolder.write

    def dies(folder: AttemptFolder, name: str, content: str | bytes) -> Evidence:
        if "audit" in folder.path:
            raise Killed
        return write(folder, name, content)

    with monkeypatch.context() as patched:
        patched.setattr(AttemptFolder, "write", dies)
        with pytest.raises(Killed):
            api.resume("r1", runsdir=str(ahead.runsdir))
    assert not ahead.path("nodes/tasks.1.audit/1.1/prompt.md").exists()
    assert wrong(ahead) == ()
    assert api.resume("r1", runsdir=str(ahead.runsdir)).summary.status == "PASS"
    holds(ahead)


@pytest.mark.req("G-21", "G-26")
def test_a_question_that_nobody_has_read_may_be_missing_and_no_other(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f'ask [prompt="{LONG}", agent=outbox]\nb [prompt="b", agent=outbox]\n'
    question = bench.path("outbox/001_ask_answer.md")

    def dies(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Box, "put", dies)
        with pytest.raises(Killed):
            bench.run(f"{body}start -> ask -> b -> done")
    assert wrong(bench) == ()
    assert api.resume("r1", runsdir=str(bench.runsdir)).waiting == "ask/1.1"
    assert wrong(bench) == ()
    text = question.read_bytes()
    question.unlink()
    assert len(wrong(bench)) == 1, "somebody is waited for"
    question.write_bytes(text)
    api.answer("ask/1.1", "Said.\n", runsdir=str(bench.runsdir))
    assert api.resume("r1", runsdir=str(bench.runsdir)).waiting == "b/1.1"
    question.unlink()
    assert len(wrong(bench)) == 1, "it is answered"


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
