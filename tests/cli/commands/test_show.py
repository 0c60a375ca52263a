"""What a run, or one stage of it, did."""

from __future__ import annotations

import pytest

from support.shell import Shell


def test_show_lists_the_stages_and_where_their_evidence_is(sample: Shell) -> None:
    page = sample("show", "r1").out
    assert "check  tool      fail " in page
    assert "nodes/check/1.1  tool_exit_code_1\n" in page
    assert "evidence: .custody/runs/r1\n" in page


@pytest.mark.req("P-12")
def test_show_has_the_prompt_as_it_was_sent_and_the_response(sample: Shell) -> None:
    page = sample("show", "r1", "write", "--attempt", "1.1").out
    folder = sample.folder / ".custody/runs/r1/nodes/write/1.1"
    assert f"── prompt.md\n{(folder / 'prompt.md').read_text()}" in page
    assert f"── response.md\n{(folder / 'response.md').read_text()}" in page
    assert "── changed: 1 path\nadded    greeting.txt\n" in page
    assert "── all 2 attempts\n1.1    success\n2.1    success\n" in page
    last = sample("show", "r1", "write", "--json").data
    assert last["shown"]["visit"] == 2
    assert "What failed last time" in last["texts"]["prompt.md"]


def test_show_says_when_evidence_was_tampered_with(sample: Shell) -> None:
    long = "x" * 10_000
    pipeline = sample.folder / "pipeline.dot"
    pipeline.write_text(pipeline.read_text().replace("into greeting.txt.", long))
    assert sample("run", "pipeline.dot", "--run-id", "r2").code == 0
    (sample.folder / ".custody/runs/r2/nodes/write/1.1/prompt.md").write_text("nothing")
    page = sample("show", "r2", "write", "--attempt", "1.1")
    assert page.code == 0
    assert "── prompt.md: cannot be read: " in page.out


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["r1", "nowhere"], "run r1 has no stage 'nowhere'"),
        (["r1", "write", "--attempt", "7.1"], "'write' had no attempt '7.1'"),
        (["r1", "--attempt", "1.1"], "--attempt needs a stage"),
    ],
)
def test_show_of_what_is_not_there(sample: Shell, words: list[str], what: str) -> None:
    done = sample("show", *words)
    assert done.code == 1
    assert done.err.startswith(f"error: {what}\n  hint: ")
