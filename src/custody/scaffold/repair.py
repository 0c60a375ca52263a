"""A pipeline that repairs a project until its own tests pass, and the settings for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from custody.errors import UsageError
from custody.model.finding import Finding
from custody.scaffold.project import Project

PIPELINE = "fix.dot"
SETTINGS = "custody.toml"

_PIPELINE = """\
// Runs the tests of this project; while they fail, an agent repairs the code. It may change what
// allowed_write_paths names and nothing else, and the same tests judge it.{warning}
digraph fix {{
    graph [goal="Make the failing tests pass"]

    start  [shape=Mdiamond]
    test   [type=tool, tool_command="{tests}", timeout=15m]
    fix    [
        prompt="$goal.

The tests of this project fail. They are run by: {tests}
Find the cause and repair it in the code. The tests are right: leave them as they are.",
        allowed_write_paths="{code}",
        max_retries=2,
        max_visits=4
    ]
    verify [type=verification, verification.required_commands="{tests}", timeout=15m]
    done   [shape=Msquare]

    start  -> test
    test   -> done   [condition="outcome=success"]
    test   -> fix    [condition="outcome=fail"]
    fix    -> verify [condition="outcome=success"]
    fix    -> fix    [condition="outcome=fail"]
    verify -> done   [condition="outcome=success"]
    verify -> fix    [condition="outcome=fail"]
}}
"""
_MIXED = """
// Tests lie among the code here: who may change one may change the other, so look at the diff."""

_SETTINGS = """\
# Settings of the runs in this folder; a flag or the environment goes before them.

# What `custody run` runs, and what it copies for each run; the folder itself is never written to.
pipeline = "{pipeline}"
workdir = "."

# Who works on stages that name no agent.
{agent}

# Where runs are kept.
runsdir = ".custody/runs"
"""


def refuse_command(tests: str, check: Callable[[str], Sequence[Finding]]) -> None:
    """Raise `UsageError` for a command that the pipeline cannot hold; ``check`` finds that out."""
    project = Project("project", tests, ("src/",), mixed=False)
    found = check(files(project, ())[PIPELINE].decode())
    errors = [finding for finding in found if finding.severity == "error"]
    if errors:  # the last is about the verification, which asks the most of a command
        what = f"{tests!r} cannot judge a repair: {errors[-1].message}"
        raise UsageError(what, hint=errors[-1].hint)


def files(project: Project, agents: Sequence[str]) -> dict[str, bytes]:
    """Return the files for a project, by name; ``agents`` are those that are installed."""
    pipeline = _PIPELINE.format(
        warning=_MIXED if project.mixed else "",
        tests=_quoted(project.tests),
        code=_quoted(",".join(project.code)),
    )
    settings = _SETTINGS.format(pipeline=PIPELINE, agent=_agent(agents))
    return {PIPELINE: pipeline.encode(), SETTINGS: settings.encode()}


def _agent(agents: Sequence[str]) -> str:
    if not agents:
        return '# None was found on PATH. Install one, and name it: agent = "codex"'
    others = f"  # also installed: {', '.join(agents[1:])}" if agents[1:] else ""
    return f'agent = "{agents[0]}"{others}'


def _quoted(text: str) -> str:
    """Return what stands between the quotes of a string in DOT."""
    return text.replace("\\", "\\\\").replace('"', '\\"')
