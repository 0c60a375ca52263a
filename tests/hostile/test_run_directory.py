"""No program of a stage at L3 learns where on the machine its run lies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.bench import Bench

TELL = """
import os, sys
told = [os.getcwd(), *sys.argv, *os.environ.values(), sys.stdin.read()]
for folder in ("/proc/self", "/proc/1", "/proc/self/task/self"):
    for name in ("cgroup", "cmdline", "environ", "maps", "mountinfo", "mounts", "mountstats"):
        try: told.append(open(f"{folder}/{name}").read())
        except OSError: continue
for number in os.listdir("/proc/self/fd"):
    try: told.append(os.readlink(f"/proc/self/fd/{number}"))
    except OSError: continue
if len(sys.argv) > 1: assert open(sys.argv[1]).read()
open("told.txt", "w").write("\\n".join(told))
"""
STAGES = {
    "a tool": 'a [type=tool, tool_command="python3 tell.py"]',
    "a second tool": 'b [type=tool, tool_command="true"]\nstart -> b -> a\n'
    'a [type=tool, tool_command="python3 tell.py"]',
    "a command": 'a [prompt="x", agent=command, command.argv="python3 tell.py {PROMPT_PATH}"]',
    "a local program": 'a [prompt="x", agent=local_exec, local_exec.argv="python3 tell.py"]',
}


@pytest.mark.req("G-11")
@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_is_not_told(bench: Bench, stage: str) -> None:
    (bench.workdir / "tell.py").write_text(TELL)
    start = "" if "start ->" in STAGES[stage] else "start -> a\n"
    result = bench.run(f"{STAGES[stage]}\n{start}a -> done", confinement="L3")
    assert result.summary.status == "PASS", result
    told = Path(bench.path("workspace/told.txt")).read_text()
    assert "/ws" in told
    assert str(bench.home) not in told


CODEX = """#!/usr/bin/python3
import json, os, sys
home = os.environ["HOME"]
open(home + "/kept", "w").write("x")
told = [home, *os.environ.values(), open("/proc/self/mountinfo").read(), *sys.argv]
print(json.dumps({"type": "item.completed", "item": {"type": "agent_message", "text": str(told)}}))
"""


@pytest.mark.req("G-11")
def test_a_coding_agent_is_not_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = bench.home / "bin"
    programs.mkdir()
    (programs / "codex").write_text(CODEX)
    (programs / "codex").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    bench.run('a [prompt="x", agent=codex]\nstart -> a -> done', confinement="L3")
    said = bench.path("nodes/a/1.1/codex.stdout.log").read_text()
    text = json.loads(said)["item"]["text"]
    assert "/custody/homes/codex" in text
    assert str(bench.runsdir) not in text
