"""What somebody meets who writes a pipeline: the exact command, its exit code, what is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.shell import Done, Here, Shell

TYPO = """digraph typo {
  start [shape=Mdiamond]
  check [type=tool, tool_command="true", allowed_write_path="src/"]
  done  [shape=Msquare]
  start -> check -> done
}
"""
WARNED = TYPO.replace("digraph typo {", "digraph typo {\n  unknown_attributes=warn")
NAMELESS = """digraph plain {
  start [shape=Mdiamond]
  plan  [prompt="Plan."]
  build [prompt="Build."]
  done  [shape=Msquare]
  start -> plan -> build -> done
}
"""
LOUD = """digraph loud {{
  graph [goal="Repair it", max_steps=9{graph}]
  start [shape=Mdiamond]
  inspect_all [type=tool, tool_command="sh inspect.sh"]
  mend  [prompt="$goal."{node}]
  done  [shape=Msquare]
  start -> inspect_all
  inspect_all -> done [condition="outcome=success"]
  inspect_all -> mend [condition="outcome=fail"]
  mend -> inspect_all
}}
"""
LOUD_SCRIPT = """
echo FIRST-OUT; seq 1 9000; echo LAST-OUT
echo FIRST-ERR >&2; seq 1 9000 >&2; echo LAST-ERR >&2
test -f twice && exit 0
exit 3
"""
PASSED_ON = """digraph passed_on {
  start [shape=Mdiamond]
  count [type=tool, tool_command="sh count.sh"]
  note  [type=write_file, output_path="docs/note.md",
         content="${count.exit_code}: ${count.stdout}/${count.stderr}/${later.stdout}."]
  later [type=tool, tool_command="sh -c 'echo later'"]
  odd   [type=write_file, output_path="docs/odd.md", content="odd"]
  done  [shape=Msquare]
  start -> count
  count -> note [condition="count.exit_code=7"]
  count -> odd  [condition="count.exit_code!=7"]
  odd -> done
  note -> later
  later -> done [condition="context.ready=yes"]
  later -> done
  later -> note [condition="count.exit_code=8"]
}
"""
PLANNED = """digraph planned {
  start  [shape=Mdiamond]
  build  [prompt="Build.", agent="fake",
          test.verification_plan_json="{\\"commands\\": [\\"COMMAND\\"]}"]
  verify [type=verification, verification.required_commands="true",
          verification.allowed_commands="sh show.sh"]
  done   [shape=Msquare]
  failed [shape=Msquare, status=fail]
  start -> build -> verify
  verify -> done   [condition="outcome=success"]
  verify -> failed [condition="outcome=fail"]
}
"""


@pytest.fixture
def custody(tmp_path: Path) -> Shell:
    return Here(tmp_path)


def run(custody: Shell, *words: str, **environment: str) -> Done:
    return custody("run", *words, "--run-id", "r1", **environment)


def kept(custody: Shell, path: str) -> str:
    return (custody.folder / ".custody/runs/r1" / path).read_text()


@pytest.mark.req("U-01")
def test_a_graph_may_turn_it_into_a_warning_that_is_printed_and_recorded(custody: Shell) -> None:
    custody.write("typo.dot", WARNED)
    warning = "typo.dot:4:42 type tool knows no attribute 'allowed_write_path'"
    assert custody("check", "typo.dot").code == 0
    done = run(custody, "typo.dot")
    assert done.code == 0
    assert f"  warning: {warning}\n" in done.out
    assert f"  warning: {warning}\n" in custody("show", "r1").out
    first = json.loads(kept(custody, "events.jsonl").split("\n")[0])
    assert first["data"]["warnings"] == [warning]
    assert json.loads(kept(custody, "summary.json"))["warnings"] == [warning]
    assert f"- **warning:** {warning}\n" in kept(custody, "summary.md")
    assert custody("verify", "r1").code == 0


@pytest.mark.req("U-02")
@pytest.mark.parametrize("agent", ["stub", "fake"])
def test_who_stands_in_for_an_agent_is_named(custody: Shell, agent: str) -> None:
    custody.write("plain.dot", NAMELESS)
    done = run(custody, "plain.dot", "--agent", agent)
    line = f"  no agent worked on build, plan: {agent} stood in for one\n"
    assert done.code == 0
    assert line in done.out
    assert line in custody("show", "r1").out
    assert f"asked: agent {agent}, call 1" in custody("show", "r1", "plan").out
    assert json.loads(kept(custody, "summary.json"))["stand_ins"] == {agent: ["build", "plan"]}
    assert f"- **{agent}** stood in for an agent: build, plan\n" in kept(custody, "summary.md")
    assert custody("verify", "r1").code == 0


def test_a_pipeline_that_asks_nobody_needs_no_agent(custody: Shell) -> None:
    custody.write("tool.dot", TYPO.replace(', allowed_write_path="src/"', ""))
    done = run(custody, "tool.dot")
    assert done.code == 0
    assert "stood in" not in done.out


@pytest.mark.req("U-05", "P-20")
@pytest.mark.parametrize(
    ("graph", "node", "variable", "limit"),
    [
        ("", "", {}, 20_480),
        (", output_limit=4K", "", {}, 4_096),
        (", output_limit=4K", ", output_limit=1000", {}, 1_000),
        ("", "", {"CUSTODY_OUTPUT_LIMIT": "2K"}, 2_048),
    ],
)
def test_the_next_agent_is_told_both_ends_of_both_streams(
    custody: Shell, graph: str, node: str, variable: dict[str, str], limit: int
) -> None:
    (custody.folder / "work").mkdir()
    custody.write("work/inspect.sh", LOUD_SCRIPT)
    custody.write("loud.dot", LOUD.format(graph=graph, node=node))
    run(custody, "loud.dot", "--workdir", "work", "--agent", "stub", **variable)
    prompt = kept(custody, "nodes/mend/1.1/prompt.md")
    assert prompt.startswith("Repair it.\n\n## What failed last time\n\n`sh inspect.sh` ended with")
    for word in ("FIRST-OUT", "LAST-OUT", "FIRST-ERR", "LAST-ERR"):
        assert word in prompt
    assert limit * 0.9 <= len(prompt.encode()) <= limit + 300
    told_of_pipeline = ("inspect_all", "mend", "loud", "outcome", "max_steps", "r1", "condition")
    assert [word for word in told_of_pipeline if word in prompt] == []
    assert custody("replay", "r1").code == 0


@pytest.mark.req("U-05")
def test_the_limit_may_stand_in_the_settings(custody: Shell) -> None:
    custody.write("custody.toml", 'output_limit = "much"\nagent = "stub"\n')
    custody.write("plain.dot", NAMELESS)
    refused = run(custody, "plain.dot")
    assert (refused.code, refused.err) == (
        1,
        "error: output_limit: 'much' is no size\n  hint: it comes from custody.toml\n",
    )
    custody.write("custody.toml", 'output_limit = "64K"\nagent = "stub"\n')
    assert run(custody, "plain.dot").code == 0
    assert '"output_limit":65536' in kept(custody, "events.jsonl")


@pytest.mark.req("U-16")
def test_output_and_exit_code_reach_later_stages(custody: Shell) -> None:
    (custody.folder / "work").mkdir()
    key = "ghp_" + "a1B2" * 9
    custody.write("work/count.sh", f"echo three; echo {key}; echo four >&2; exit 7\n")
    custody.write("passed.dot", PASSED_ON)
    done = run(custody, "passed.dot", "--workdir", "work", COLUMNS="80")
    assert done.code == 0, done.out + done.err
    note = kept(custody, "docs/note.md")
    assert note.startswith("7: three\n")
    assert note.endswith("/four/.")
    assert key not in note
    assert "[redacted:" in note
    assert custody("replay", "r1").code == 0
    assert custody("verify", "r1").code == 0
    forked = custody("fork", "r1", "later", "--run-id", "r2")
    assert forked.code == 0
    assert custody("replay", "r2").code == 0


@pytest.mark.req("U-16")
def test_any_variable_may_be_set_that_does_not_steer(custody: Shell) -> None:
    (custody.folder / "work").mkdir()
    custody.write("work/show.sh", 'echo "$APP_ENV"\n')
    custody.write("planned.dot", PLANNED.replace("COMMAND", "APP_ENV=test sh show.sh"))
    done = run(custody, "planned.dot", "--workdir", "work")
    assert done.code == 0, done.out + done.err
    assert kept(custody, "nodes/verify/1.1/verification.2.stdout.log") == "test\n"


@pytest.mark.req("U-16")
@pytest.mark.parametrize("name", ["PATH", "LD_PRELOAD", "BASH_ENV", "GIT_DIR", "PYTHONSTARTUP"])
def test_a_variable_that_steers_is_refused_by_its_name(custody: Shell, name: str) -> None:
    (custody.folder / "work").mkdir()
    custody.write("work/show.sh", "echo\n")
    custody.write("planned.dot", PLANNED.replace("COMMAND", f"{name}=x sh show.sh"))
    done = run(custody, "planned.dot", "--workdir", "work", COLUMNS="80")
    assert done.code == 1
    said = f"verification command not allowed: {name}=x sh show.sh: the variable {name} may not be"
    assert said in done.out


@pytest.mark.req("U-18")
def test_a_name_and_its_alias_together_are_found(custody: Shell) -> None:
    custody.write(
        "both.dot", NAMELESS.replace("[prompt=", '[agent=stub, agent.backend="fake", prompt=')
    )
    done = custody("check", "both.dot")
    assert done.code == 1
    assert (
        "both.dot:3:36 alias agent.backend is another name for agent, which is given too"
        in done.out
    )
