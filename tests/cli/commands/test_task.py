"""``custody task``: from one sentence to a document."""

from __future__ import annotations

import pytest

from support.shell import Shell

FAKE = ("--agent", "fake:single", "--run-id", "r1")


def test_the_report_says_where_the_document_is(custody: Shell) -> None:
    done = custody("task", "single", "Say it", *FAKE)
    assert done.code == 0
    assert done.out.startswith("PASS  single  run r1\n")
    assert "document: .custody/runs/r1/docs/single_r1.md\n" in done.out
    assert custody("verify", "r1").code == 0


def test_as_data(custody: Shell) -> None:
    data = custody("task", "single", "Say it", *FAKE, "--publish", "out", "--json").data
    assert data["run"]["summary"]["status"] == "PASS"
    assert data["document"].endswith("docs/single_r1.md")
    assert data["published"]["written"] == ["docs/single_r1.md"]


def test_the_document_alone(custody: Shell) -> None:
    done = custody("task", "single", "Say it", *FAKE, "--print")
    assert done.out == (custody.folder / ".custody/runs/r1/docs/single_r1.md").read_text()


def test_a_failed_run_prints_no_document(custody: Shell) -> None:
    done = custody("task", "team", "x", "--agent", "fake", "--run-id", "r1", "--print")
    assert (done.code, done.out) == (1, "")
    assert "hint: custody show r1" in done.err


def test_a_failed_run_publishes_nothing(custody: Shell) -> None:
    done = custody("task", "team", "x", "--agent", "fake", "--publish", "out")
    assert done.code == 1
    assert "published: nothing" in done.out
    assert not (custody.folder / "out").exists()


def test_publishing_is_refused_by_name_and_can_be_done_later(custody: Shell) -> None:
    (custody.folder / "out/docs").mkdir(parents=True)
    mine = custody.folder / "out/docs/single_r1.md"
    mine.write_text("mine")
    done = custody("task", "single", "Say it", *FAKE, "--publish", "out")
    assert done.code == 1
    assert "docs/single_r1.md: it is not what the run has read" in done.err
    assert mine.read_text() == "mine"
    again = ("task", "single", "--run-id", "r1", "--resume", "--publish")
    assert "published: 1 written" in custody(*again, "elsewhere").out
    assert "published: 0 written, 1 there already" in custody(*again, "elsewhere").out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("single",), "TASK is missing"),
        (("single", "  "), "TASK is missing"),
        (("single", "--resume", "--run-id", "new"), "TASK is missing"),
        (("single", "x", "--resume"), "--resume needs --run-id"),
        (("single", "x"), "no agent is named"),
        (("single", "x", "--agent", "nobody"), "no agent named"),
        (("single", "x", "--agent", "fake", "--reviewers", "2"), "single has no reviewers"),
        (("self_critique", "x", "--agent", "fake", "--reviewers", "0"), "between 1 and 10"),
        (("self_critique", "x", "--agent", "fake", "--reviewers", "11"), "between 1 and 10"),
        (("other", "x"), "other"),
        (("single", b"\xff".decode(errors="surrogateescape"), "--agent", "fake"), "not UTF-8"),
    ],
)
def test_wrong_usage(custody: Shell, words: tuple[str, ...], why: str) -> None:
    done = custody("task", *words)
    assert done.code == 1
    assert why in done.err
    assert not (custody.folder / ".custody").exists()


def test_reviewers(custody: Shell) -> None:
    words = ("--agent", "fake:self_critique", "--reviewers", "4", "--run-id", "r1")
    assert custody("task", "self_critique", "Say it", *words).code == 0
    assert len(list((custody.folder / ".custody/runs/r1/docs/reviews").iterdir())) == 4


def test_the_agent_may_stand_in_a_file(custody: Shell) -> None:
    custody.write("custody.toml", 'agent = "fake:single"\n')
    assert custody("task", "single", "Say it").code == 0
