"""Every claim of a run, checked again."""

from __future__ import annotations

import json
import shutil

import pytest

from support.shell import FAILING, Shell


def test_verify_finds_what_was_changed(sample: Shell) -> None:
    assert sample("verify", "r1").out.startswith("intact  run r1: ")
    (sample.folder / ".custody/runs/r1/summary.json").write_text("{}")
    done = sample("verify", "r1")
    assert done.code == 1
    assert "summary.json" in done.out.splitlines()[0]
    assert "\nnot intact  run r1: " in done.out
    assert sample("verify", "r1", "--json").data["mismatches"]
    assert sample("verify", "r1", "--rebuild").code == 0
    assert sample("verify", "r1").code == 0


@pytest.mark.req("G-14")
def test_the_record_and_the_outcome_have_words_of_their_own(custody: Shell) -> None:
    custody.write("p.dot", FAILING)
    assert custody("run", "p.dot", "--run-id", "r1").code == 1
    done = custody("verify", "r1")
    assert done.code == 0
    record, outcome = done.out.splitlines()
    assert record.startswith("intact  run r1: ")
    assert outcome == "the run itself ended FAIL"
    assert "PASS" not in done.out


def test_of_a_record_that_ends_too_early_the_outcome_is_not_told(sample: Shell) -> None:
    journal = sample.folder / ".custody/runs/r1/events.jsonl"
    journal.write_text(journal.read_text().replace("StageCompleted", "StageFailed", 1))
    done = sample("verify", "r1")
    assert done.code == 1
    assert "how the run itself ended cannot be told\n" in done.out


@pytest.mark.req("G-14")
def test_what_the_record_does_not_know_is_named(custody: Shell) -> None:
    custody.write("p.dot", FAILING)
    assert custody("run", "p.dot", "--run-id", "r1").code == 1
    (custody.folder / ".custody/runs/r1/cache/left").touch()
    assert custody("verify", "r1").out.splitlines()[-1] == "not known to the record: cache/"


@pytest.mark.req("G-14")
def test_a_record_that_was_rewritten_as_a_whole_has_another_head(custody: Shell) -> None:
    custody.write("p.dot", FAILING)
    printed = custody("run", "p.dot", "--run-id", "r1").out
    (head,) = [line.split()[1] for line in printed.splitlines() if line.startswith("head:")]
    runs = custody.folder / ".custody/runs"
    assert head == json.loads((runs / "r1/manifest.json").read_bytes())["head"]
    assert custody("verify", "r1", "--head", head).code == 0
    shutil.rmtree(runs / "r1")
    custody.write("p.dot", FAILING.replace("ls missing", "ls"))
    assert custody("run", "p.dot", "--run-id", "r1").code == 0
    assert custody("verify", "r1").code == 0, "by itself it is as good as the other"
    done = custody("verify", "r1", "--head", head)
    assert done.code == 1
    assert done.out.startswith("events.jsonl head_mismatch no line has the hash ")
    assert custody("verify", "r1", "--head", head[:12]).code == 1


@pytest.mark.req("G-14")
def test_a_head_that_was_kept_while_the_run_went_on(custody: Shell) -> None:
    custody.write("p.dot", 'digraph p { start [shape=Mdiamond] done [shape=Msquare] '
                  'ask [prompt="x", agent=outbox] start -> ask -> done }')  # fmt: skip
    waiting = custody("run", "p.dot", "--run-id", "r1")
    assert waiting.code == 3
    (head,) = [line.split()[1] for line in waiting.out.splitlines() if line.startswith("head:")]
    assert custody("answer", "ask/1.1", "--file", "-", stdin="yes").code == 0
    assert custody("resume", "r1").code == 0
    done = custody("verify", "r1", "--head", head)
    assert done.code == 0
    assert "journal lines came after the head that was given" in done.out
    assert "\nthe run itself ended PASS\n" in done.out
