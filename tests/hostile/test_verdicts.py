"""Runs in which an agent tries to be judged as it likes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from custody import api
from custody.engine.result import RunResult
from custody.model.event import GateFailed, StageFailed
from custody.model.plan import VerificationResults
from custody.model.record import decode
from support.bench import Bench
from support.sandboxes import LEVELS
from support.sweep import paired, turn

TESTS = "python3 -m unittest discover --start-directory tests"
WRONG = "def double(n):\n    return n\n"
RIGHT = "def double(n):\n    return 2 * n\n"
TEST = """import sys
import unittest

sys.path.insert(0, "src")
from double import double


class TestDouble(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double(3), 6)
"""


@pytest.fixture
def project(bench: Bench) -> Path:
    """A project whose only test fails."""
    for name, text in {"src/double.py": WRONG, "tests/test_double.py": TEST}.items():
        path = bench.workdir / name
        path.parent.mkdir()
        path.write_text(text)
    return bench.workdir


def answers(bench: Bench, *given: dict[str, Any]) -> str:
    """Return the agent that gives these answers, the last again and again."""
    path = bench.home / "answers.json"
    path.write_text(json.dumps({"answers": [{"text": "Done.\n", **answer} for answer in given]}))
    return f"fake:{path}"


def planned(*commands: str, files: tuple[str, ...] = (), **answer: Any) -> dict[str, Any]:
    """Return an answer with a plan."""
    plan = {"required_files": files, "commands": commands}
    return {"context_updates": {"verification.plan": plan}, **answer}


def edit(path: str, content: str) -> dict[str, Any]:
    return {"path": path, "content": content}


def judged(
    bench: Bench, *given: dict[str, Any], required: str = TESTS, **options: Any
) -> RunResult:
    """Let an agent answer and be judged, by the project's tests unless told otherwise."""
    demanded = f', verification.required_commands="{required}"' if required else ""
    return bench.run(
        'a [prompt="x"]\nv [type=verification,'
        f' verification.allowed_commands="true,cat,python3 -m unittest"{demanded}]\n'
        "start -> a -> v -> done",
        agent=answers(bench, *given),
        **options,
    )


def reason(bench: Bench) -> str:
    return next(f for f in bench.facts() if isinstance(f, StageFailed)).outcome.failure_reason


def commands(bench: Bench, stage: str = "v/1.1") -> list[str]:
    """Return what a verification has run."""
    data = bench.path(f"nodes/{stage}/verification.results.json").read_bytes()
    return [each.command for each in decode(data, VerificationResults, where=stage).commands]


@pytest.mark.req("G-01")
@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("own", ["true", "python3 -m unittest --help", "cat src/double.py"])
def test_an_agent_cannot_choose_what_judges_it(bench: Bench, own: str) -> None:
    assert judged(bench, planned(own)).summary.status == "FAIL"
    assert reason(bench) == f"verification command failed: {TESTS}"
    assert commands(bench) == [TESTS], "what is demanded comes first"


@pytest.mark.req("G-01")
@pytest.mark.usefixtures("project")
def test_what_it_adds_is_run_as_well(bench: Bench) -> None:
    mended = planned("cat src/double.py", TESTS, edits=[edit("src/double.py", RIGHT)])
    assert judged(bench, mended).summary.status == "PASS"
    assert commands(bench) == [TESTS, "cat src/double.py"]
    plan = json.loads(bench.path("nodes/v/1.1/verification.plan.json").read_text())
    assert plan["commands"] == [TESTS, "cat src/double.py"]
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "PASS"
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()


@pytest.mark.req("G-01")
@pytest.mark.usefixtures("project")
def test_what_it_adds_can_fail_it(bench: Bench) -> None:
    mended = planned("cat gone", edits=[edit("src/double.py", RIGHT)])
    assert judged(bench, mended).summary.status == "FAIL"
    assert reason(bench) == "verification command failed: cat gone"


@pytest.mark.req("G-01")
@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("answer", [{}, planned(), planned(files=("src/double.py",))])
def test_without_a_plan_the_demanded_commands_are_run(bench: Bench, answer: dict[str, Any]) -> None:
    assert (
        judged(bench, {"edits": [edit("src/double.py", RIGHT)], **answer}).summary.status == "PASS"
    )
    assert commands(bench) == [TESTS]


@pytest.mark.req("G-01")
@pytest.mark.usefixtures("project")
def test_files_alone_prove_nothing(bench: Bench) -> None:
    only_files = planned(files=("src/double.py",))
    assert judged(bench, only_files, required="").summary.status == "FAIL"
    assert reason(bench) == "verification ran no command"
    failed = next(fact for fact in bench.facts() if isinstance(fact, GateFailed))
    assert [verdict.code for verdict in failed.verdicts] == ["no_command"]


@pytest.mark.req("G-01")
@pytest.mark.usefixtures("project")
def test_a_plan_cannot_name_what_is_demanded(bench: Bench) -> None:
    plan = {"commands": ["true"], "required_commands": []}
    assert judged(bench, {"context_updates": {"verification.plan": plan}}).summary.status == "FAIL"
    assert reason(bench).startswith("verification plan malformed")


@pytest.mark.req("G-01")
@pytest.mark.usefixtures("project")
def test_a_plan_of_an_earlier_visit_takes_nothing_away(bench: Bench) -> None:
    """The first answer mends the work and leaves a plan; the second one breaks it again."""
    agent = answers(
        bench,
        planned("true", edits=[edit("src/double.py", RIGHT)]),
        {"edits": [edit("src/double.py", WRONG)]},
    )
    result = bench.run(
        'a [prompt="x"]\nv [type=verification, verification.allowed_commands="true",'
        f' verification.required_commands="{TESTS}", max_visits=2]\n'
        "start -> a -> v -> done\nv -> a [weight=1]",
        agent=agent,
    )
    assert result.summary.status == "FAIL"
    assert commands(bench) == [TESTS, "true"]
    assert commands(bench, "v/2.1") == [TESTS]


PLANTS = {
    "another unittest": "unittest.py",
    "another test": "tests/test_double.py",
    "a module of Python's start": "sitecustomize.py",
}


@pytest.mark.req("G-01")
@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(("plant", "level"), paired("plants", PLANTS, ["L3", "L2", "L1"]))
def test_code_under_test_cannot_prepare_the_next_check(
    bench: Bench, plant: str, level: str
) -> None:
    """When it is imported it puts a file where the next check would find it, and fails this one."""
    planting = (
        f"import pathlib\nfile = pathlib.Path({PLANTS[plant]!r})\n"
        "file.parent.mkdir(exist_ok=True)\nfile.write_text('')\n"
    )
    agent = answers(bench, planned(TESTS, edits=[edit("src/double.py", planting + WRONG)]))
    judge = (
        'type=verification, verification.allowed_commands="python3 -m unittest",'
        f' verification.required_commands="{TESTS}"'
    )
    result = bench.run(
        'a [prompt="x", allowed_write_paths="src/"]\n'
        f"v [{judge}]\nw [{judge}]\n"
        'start -> a -> v\nv -> done [condition="outcome=success"]\n'
        'v -> w [condition="outcome=fail"]\nw -> done',
        agent=agent,
        confinement=level,
    )
    assert result.summary.status == "FAIL"
    assert result.summary.changed == ("src/double.py",)
    assert bench.path("workspace/tests/test_double.py").read_text() == TEST
    assert not bench.path("layers").exists()
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "FAIL"


@pytest.mark.req("G-01")
@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("level", turn("closed folders", LEVELS))
def test_folders_that_are_closed_are_thrown_away_too(bench: Bench, level: str) -> None:
    closing = "import os\nos.makedirs('shut/inner')\nos.chmod('shut', 0)\n"
    mended = {"edits": [edit("src/double.py", closing + RIGHT)]}
    assert judged(bench, mended, confinement=level).summary.status == "PASS"
    assert not bench.path("workspace/shut").exists()
    assert not bench.path("layers").exists()


PLANT = """import pathlib, py_compile, sys

pathlib.Path("src/r.py").write_text("def double(n): return 2 * n")
cached = f"src/__pycache__/double.{sys.implementation.cache_tag}.pyc"
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
py_compile.compile("src/r.py", cached, invalidation_mode=unchecked)
pathlib.Path("src/r.py").unlink()
"""


@pytest.mark.req("G-01")
def test_byte_code_beside_the_source_is_not_believed(bench: Bench, project: Path) -> None:
    """It asks not to be compared with its source, and holds what the source should."""
    (project / "plant.py").write_text(PLANT)
    result = bench.run(
        'a [prompt="x", local_exec.argv="python3 plant.py", allowed_write_paths="src/"]\n'
        f'v [type=verification, verification.required_commands="{TESTS}"]\nstart -> a -> v -> done',
        agent="local_exec",
    )
    assert list(bench.path("workspace/src/__pycache__").iterdir())
    assert result.summary.status == "FAIL"


@pytest.mark.req("G-01")
def test_a_program_of_the_workspace_is_not_taken_for_one_of_the_machine(
    bench: Bench, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (project, project / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "judge-it").write_text("#!/bin/sh\nexit 0\n")
        (folder / "judge-it").chmod(0o755)
    monkeypatch.setenv("PATH", f".:bin:{bench.path('workspace/bin')}:/usr/bin:/bin")
    assert judged(bench, {}, required="judge-it").summary.status == "FAIL"


@pytest.mark.req("G-01")
@pytest.mark.parametrize("level", turn("programs of the workspace", LEVELS))
@pytest.mark.parametrize("folder", ["bin", "tools/bin"])
def test_a_script_that_judges_finds_no_program_in_the_workspace(
    bench: Bench, project: Path, monkeypatch: pytest.MonkeyPatch, folder: str, level: str
) -> None:
    """The folder of the project is on PATH, and at L3 the workspace stands in its place."""
    (project / "tests" / "judge.sh").write_text("judge-it\n")
    (bench.home / "link").symlink_to(project / folder)
    own = {"path": f"{folder}/judge-it", "content": "#!/bin/sh\n", "executable": True}
    for path in (
        str(project / folder),
        f"{project}/src/../{folder}",
        str(bench.home / "link"),
        str(bench.path(f"workspace/{folder}")),
        f"/proc/self/cwd/{folder}",
        f"/ws/{folder}",
    ):
        monkeypatch.setenv("PATH", f"{path}:/usr/bin:/bin")
        shutil.rmtree(bench.runsdir, ignore_errors=True)
        result = judged(bench, {"edits": [own]}, required="sh tests/judge.sh", confinement=level)
        assert result.summary.status == "FAIL", path


@pytest.mark.req("G-01")
@pytest.mark.parametrize(
    "own", ["python3 -m unittest --help", "python3 -m unittest tests.test_nothing"]
)
def test_the_packaged_pipeline_runs_the_tests_of_the_project_again(
    bench: Bench, project: Path, own: str
) -> None:
    (project / "tests" / "test_nothing.py").write_text(
        "import unittest\n\n\nclass TestNothing(unittest.TestCase):\n    def test(self): pass\n"
    )
    plan = json.dumps({"commands": [own]})
    result = api.run(
        "fix_test",
        workdir=str(project),
        runsdir=str(bench.runsdir),
        agent=answers(bench, {"text": f"Repaired.\n\n```json\n{plan}\n```\n"}),
        run_id="r1",
    )
    assert result.summary.status == "FAIL"
    assert commands(bench, "verify/1.1") == [TESTS]


@pytest.mark.req("G-01")
@pytest.mark.parametrize("code", [0, 3])
def test_an_exit_code_handles_no_refusal(bench: Bench, code: int) -> None:
    """The command says how it ended; what a guard refused it does not tell."""
    (bench.workdir / "t.sh").write_text(f"mkdir .vscode\n>.vscode/tasks.json\nexit {code}\n")
    result = bench.run(
        't [type=tool, tool_command="sh t.sh"]\n'
        f'start -> t\nt -> done [condition="t.exit_code={code}"]'
    )
    assert result.summary.status == "FAIL"
    assert result.summary.changed == ()
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "FAIL"


@pytest.mark.req("G-01")
@pytest.mark.parametrize(("condition", "status"), [("!=2", "FAIL"), ("!=0", "PASS")])
def test_a_command_that_was_ended_has_no_code_but_a_wrong_one(
    bench: Bench, condition: str, status: str
) -> None:
    """Whoever is content with any code but 2 is not content with none."""
    result = bench.run(
        't [type=tool, tool_command="sleep 60", timeout=100ms]\n'
        f'start -> t\nt -> done [condition="t.exit_code{condition}"]'
    )
    assert result.summary.status == status


@pytest.mark.req("G-01")
@pytest.mark.usefixtures("project")
def test_a_gate_does_not_judge_a_stage_by_an_earlier_visit(bench: Bench) -> None:
    """The second answer breaks the work, and has its verification refused before it is run."""
    agent = answers(
        bench,
        planned(edits=[edit("src/double.py", RIGHT)]),
        planned("rm -r tests", edits=[edit("src/double.py", WRONG)]),
    )
    result = bench.run(
        'a [prompt="x"]\nb [prompt="y"]\n'
        f'v [type=verification, verification.required_commands="{TESTS}"]\n'
        'g [type=gate, stage=v, gates="verification"]\n'
        "start -> a -> v\n"
        'v -> b [condition="outcome=success"]\nv -> g [condition="outcome=fail"]\n'
        'b -> v\ng -> done [condition="outcome=success"]',
        agent=agent,
    )
    assert result.summary.status == "FAIL"
    failed = [fact for fact in bench.facts() if isinstance(fact, GateFailed) and fact.node == "g"]
    assert [verdict.code for fact in failed for verdict in fact.verdicts] == ["not_recorded"]
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "FAIL"


@pytest.mark.req("G-01")
@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("level", LEVELS)
def test_code_under_test_cannot_prepare_the_next_command(bench: Bench, level: str) -> None:
    """The first command imports it and passes; the second would look at it from outside."""
    (bench.workdir / "outside.sh").write_text("exit 1\n")
    planting = "import pathlib\npathlib.Path('outside.sh').write_text('exit 0')\n"
    result = judged(
        bench,
        {"edits": [edit("src/double.py", planting + RIGHT)]},
        required=f"{TESTS}, sh outside.sh",
        confinement=level,
    )
    assert reason(bench) == "verification command failed: sh outside.sh"
    assert result.summary.status == "FAIL"
    assert not bench.path("layers").exists()
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "FAIL"


@pytest.mark.req("G-01")
@pytest.mark.parametrize("level", turn("commands joined", LEVELS))
def test_commands_that_need_each_other_are_joined(bench: Bench, level: str) -> None:
    joined = judged(bench, {}, required="touch made && test -e made", confinement=level)
    assert joined.summary.status == "PASS"
    assert joined.summary.changed == ()
