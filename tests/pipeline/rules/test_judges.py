"""Who may change what judges him."""

from __future__ import annotations

import pytest

from custody.handlers import catalog
from custody.pipeline.read import read_pipeline

JUDGE = 'v [type=verification, verification.required_commands="{}"]'
TESTS = JUDGE.format("python3 -m unittest discover --start-directory tests")


def findings(body: str) -> list[tuple[str, str]]:
    """Return the codes and messages about a pipeline; all of them are warnings."""
    text = f"digraph g {{ start [shape=Mdiamond]; done [shape=Msquare]\n{body}\n}}"
    pipeline, found = read_pipeline(text.encode(), catalog())
    assert pipeline is not None, found
    assert {finding.severity for finding in found} <= {"warning"}
    return [(finding.code, finding.message) for finding in found]


def agent(paths: str, name: str = "a") -> str:
    return f'{name} [prompt="x", allowed_write_paths="{paths}"]'


@pytest.mark.req("G-01")
@pytest.mark.parametrize(
    "paths",
    [
        "tests/",
        "app/tests/unit/",
        "src/__tests__/",
        "spec/x.rb",
        "conftest.py",
        "src/conftest.py",
        "sitecustomize.py",
        "pyproject.toml",
        "pytest.ini",
        "Makefile",
        "package.json",
        "src/test_double.py",
        "src/double_test.go",
        "src/double.spec.ts",
    ],
)
def test_an_agent_that_may_change_tests_or_what_steers_them(paths: str) -> None:
    (found,) = findings(f"{agent(f'src/x.py,{paths}')}\n{TESTS}\nstart -> a -> v -> done")
    assert found == (
        "judge_changed",
        f"allowed_write_paths: '{paths}' may hold what 'v' judges it by",
    )


@pytest.mark.req("G-01")
def test_an_agent_that_may_change_everything() -> None:
    (found,) = findings(f'a [prompt="x"]\n{TESTS}\nstart -> a -> v -> done')
    assert found == ("judge_changed", "'a' may change all that 'v' judges it by")


@pytest.mark.parametrize("paths", ["src/", "src/,docs/x.md", "latest/", "src/contest.py", "a.pyc"])
def test_an_agent_that_may_change_the_code_alone(paths: str) -> None:
    assert findings(f"{agent(paths)}\n{TESTS}\nstart -> a -> v -> done") == []


@pytest.mark.req("G-01")
@pytest.mark.parametrize(
    ("command", "paths", "codes"),
    [
        ("sh tools/check.sh", "tools/", ["judge_changed"]),
        ("sh tools/check.sh", "tools/check.sh", ["judge_changed"]),
        ("./tools/check.sh --all", "tools/", ["judge_changed"]),
        ("tools/check.sh", "src/", []),
        ("python3 tools/check.py", "tools/", ["judge_changed"]),
        ("python3 -m tools", "src/", []),
        ("mypy src/a.py", "src/", []),
    ],
)
def test_a_script_that_a_command_starts(command: str, paths: str, codes: list[str]) -> None:
    body = f"{agent(paths)}\n{JUDGE.format(command)}\nstart -> a -> v -> done"
    assert [code for code, _ in findings(body)] == codes


def test_a_script_is_looked_for_where_commands_run() -> None:
    judge = (
        'v [type=verification, verification.workdir="app",'
        ' verification.required_commands="sh check.sh"]'
    )
    body = f"{agent('app/')}\n{judge}\nstart -> a -> v -> done"
    assert [code for code, _ in findings(body)] == ["judge_changed"]


def test_only_those_before_the_verification_count() -> None:
    after = f"{agent('tests/', 'b')}\n{TESTS}\nstart -> v -> b -> done"
    assert findings(after) == []
    again = f"{after}\nb -> v"
    assert [code for code, _ in findings(again)] == ["judge_changed", "never_taken"]


def test_one_finding_for_several_judges() -> None:
    more = TESTS.replace("v [", "w [")
    body = f'a [prompt="x"]\n{TESTS}\n{more}\nstart -> a -> v -> w -> done'
    assert [code for code, _ in findings(body)] == ["judge_changed"]


def test_many_stages_and_many_judges() -> None:
    stages = "".join(f'a{n} [prompt="x", allowed_write_paths="src/"]\n' for n in range(1000))
    judges = "".join(f"{TESTS.replace('v [', f'v{n} [')}\n" for n in range(1000))
    way = " -> ".join(f"a{n} -> v{n}" for n in range(1000))
    assert findings(f"{stages}{judges}start -> {way} -> done") == []
