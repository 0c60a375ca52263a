"""What terminals and pipes get beside the screens that tests/transcripts keeps."""

from __future__ import annotations

import json
import time

import pytest

from custody.cli.commands import commands
from custody.cli.render.terminal import width
from support.shell import Shell
from support.terminal import on_screen, screen

SIZES = pytest.mark.parametrize("columns", [80, 140])
DOCUMENT = "One.\n\n```python file=a.py\nx = (\n```\n\n```python\nno\n```\n\n```sh file=../x\n```\n"
USAGE = {
    "model": "m",
    "input_tokens": 12_345,
    "output_tokens": 678,
    "cached_tokens": 8_000,
    "cost_usd": 0.0312,
}
ANSWERS = json.dumps(
    {
        "schema_version": "1.0",
        "answers": [{"text": DOCUMENT, "usage": USAGE}],
        "nodes": {"second": [{"text": "Two.\n"}]},
    }
)
WRITING = """
digraph writing {
    start  [shape=Mdiamond]
    first  [type=agent_task, prompt="Write the first", output_path="docs/first.md"]
    second [type=agent_task, prompt="Write the second", output_path="docs/second.md"]
    test_with_a_long_name [type=tool, tool_command="ls missing"]
    done   [shape=Msquare]
    start -> first -> second -> test_with_a_long_name -> done
}
"""
ITEM = """
digraph item {
    start [shape=Mdiamond]
    node  [command.argv="sh go.sh"]
    write [type=agent_task, prompt="${item}", output_path="docs/${item}.md"]
    done  [shape=Msquare]
    start -> write -> done
}
"""
LIST = """
digraph list {
    start [shape=Mdiamond]
    each  [type=each, pipeline="item.dot", items="1..4", max_parallel=2]
    done  [shape=Msquare]
    start -> each -> done
}
"""


@pytest.fixture
def writing(custody: Shell) -> Shell:
    custody.write("writing.dot", WRITING)
    custody.write("answers.json", ANSWERS)
    return custody


def run(writing: Shell) -> None:
    words = ("run", "writing.dot", "--agent", "fake:answers.json", "--ingest", "--run-id", "r1")
    assert writing(*words).code == 1


@SIZES
@pytest.mark.parametrize("name", commands())
@pytest.mark.req("U-13")
def test_help_fits(name: str, columns: int, capsys: pytest.CaptureFixture[str],
                   monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    from custody.cli import main

    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([name, "--help"]) == 0
    text = capsys.readouterr().out.partition("\nexample")[0]
    assert [line for line in text.splitlines() if width(line) > columns] == []


@pytest.mark.req("U-11")
def test_the_summary_tells_tokens_cost_and_time(writing: Shell) -> None:
    run(writing)
    folder = writing.folder / ".custody/runs/r1"
    summary = json.loads((folder / "summary.json").read_text())
    used = {row["node"]: row.get("usage") for row in summary["stages"]}
    assert used["start"] is None
    assert (used["first"]["input_tokens"], used["first"]["cached_tokens"]) == (12_345, 8_000)
    assert (used["second"]["tokens"], used["second"]["cost_usd"]) == (None, None)
    assert (summary["usage"]["output_tokens"], summary["usage"]["cost_usd"]) == (678, 0.0312)
    assert summary["active_seconds"] > 0
    (told,) = writing("runs", "--json").data["runs"]
    assert (told["usage"]["tokens"], told["usage"]["untold"]) == (13_023, 1)
    page = (folder / "summary.md").read_text()
    assert "| seconds | changed | tokens | cost | evidence |" in page
    assert "| unknown | unknown | `nodes/second/1.1` |" in page
    assert "Active time: " in page
    assert writing("verify", "r1").code == 0
    assert writing("replay", "r1").code == 0


@pytest.mark.req("U-10", "P-20")
def test_the_model_is_told_the_form_once_and_only_where_it_counts(writing: Shell) -> None:
    run(writing)
    folder = writing.folder / ".custody/runs"
    prompt = (folder / "r1/nodes/first/1.1/prompt.md").read_text()
    assert prompt.startswith("Write the first\n\n## Files in your answer\n")
    assert prompt.count("```<lang> file=<path>") == 1
    writing("run", "writing.dot", "--agent", "fake:answers.json", "--run-id", "r2")
    assert (folder / "r2/nodes/first/1.1/prompt.md").read_text() == "Write the first\n"


@pytest.mark.req("U-13")
def test_quiet_is_the_verdict_and_what_failed(writing: Shell) -> None:
    words = ("run", "writing.dot", "--agent", "fake:answers.json", "--run-id", "r1", "-q")
    done = on_screen(writing, *words)
    assert done.code == 1
    assert done.lines[0] == "FAIL  writing  run r1"
    assert done.lines[-1].startswith("head:     ")
    assert not any(line.startswith(("stage ", "next:")) for line in done.lines)


@pytest.mark.parametrize("columns", [80, 140])
@pytest.mark.req("U-13")
def test_a_list_is_watched_where_it_runs_and_from_another_terminal(
    custody: Shell, columns: int
) -> None:
    custody.write("item.dot", ITEM)
    custody.write("list.dot", LIST)
    (custody.folder / "src").mkdir()
    wait = f"while [ ! -e {custody.folder}/go.$item ]; do sleep 0.05; done"
    custody.write("src/go.sh", f"read item\n{wait}\necho done\n")
    words = ("run", "list.dot", "--agent", "command", "--run-id", "r1", "--workdir", "src")
    level = ("--confinement", "L1")
    with screen(custody, *words, *level, columns=columns) as here:
        here.until(lambda lines: any(line.startswith("each.2.write") for line in lines))
        with screen(custody, "show", "r1", "--watch", columns=columns) as there:
            for item in (1, 2, 3):
                custody.write(f"go.{item}", "")
                wanted = f"{item} item{'' if item == 1 else 's'} done"
                for one in (here, there):
                    lines = one.until(lambda found: any(wanted in line for line in found))  # noqa: B023
                    _one_row_an_item(lines, columns)
            custody.write("go.4", "")
            watched, ran = there.ended(), here.ended()
    assert (ran.code, watched.code) == (0, 0)
    assert ran.lines[0] == watched.lines[0] == "PASS  list  run r1"
    assert not any("at work" in line for line in (*ran.lines, *watched.lines))


def _one_row_an_item(lines: list[str], columns: int) -> None:
    names = [line.split()[0] for line in lines if "at work" in line]
    assert len(names) == len(set(names)), "no row stands twice"
    items = [name.split(".")[1] for name in names if name.startswith("each.")]
    assert len(items) == len(set(items)) <= 2
    assert all(width(line) <= columns for line in lines)
    assert "run r1" in lines[0]


@pytest.mark.req("U-13")
def test_a_pipe_gets_a_line_a_change(sample: Shell) -> None:
    done = sample("show", "r1", "--watch")
    assert done.code == 0
    assert [line.split()[:2] for line in done.out.splitlines()[:6]] == [
        ["start", "success"],
        ["write", "success"],
        ["check", "fail"],
        ["write", "success"],
        ["check", "success"],
        ["done", "success"],
    ]
    assert done.out.splitlines()[6] == "PASS  greeting  run r1"
    assert sample("show", "r1", "--watch", "--json").data["summary"]["status"] == "PASS"


@pytest.mark.req("U-13")
def test_watching_ends_when_the_run_waits_or_nobody_works_on_it(custody: Shell) -> None:
    custody.write(
        "ask.dot",
        "digraph ask { start [shape=Mdiamond] ask [prompt=x, agent=outbox] done [shape=Msquare]\n"
        "start -> ask -> done }",
    )
    assert custody("run", "ask.dot", "--run-id", "w1").code == 3
    began = time.monotonic()
    done = on_screen(custody, "show", "w1", "--watch")
    assert done.code == 3
    assert done.lines[-1] == "ask/1.1 waits for a person: custody answer w1/ask/1.1 --edit"
    assert custody("log", "w1", "-f").code == 0
    assert time.monotonic() - began < 60


@SIZES
def test_the_journal_is_folded_below_itself(writing: Shell, columns: int) -> None:
    run(writing)
    done = on_screen(writing, "log", "r1", columns=columns)
    assert done.code == 0
    assert max(map(width, done.lines)) <= columns
