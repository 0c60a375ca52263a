"""What nobody should write is refused by its effect, whoever has caused it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from custody import api
from custody.engine.result import RunResult
from custody.model.event import GuardrailViolation
from support.bench import Bench

Left = Callable[[str], RunResult]

MADE = [
    ".git/hooks/pre-commit",
    ".GIT/hooks/pre-commit",
    ".git /config",
    "git~1/config",
    ".g\u200cit/config",
    "vendor/lib/.git/hooks/post-checkout",
    ".gitattributes",
    ".gitmodules",
    ".claude/settings.json",
    "src/.Claude/settings.json",
    ".mcp.json",
    ".MCP.JSON",
    ".vscode/tasks.json",
    ".vscode./tasks.json",
    ".idea/workspace.xml",
    ".vscode/node_modules/x",
    ".husky/pre-commit",
    ".envrc",
    ".bashrc",
    ".env",
    ".ENV",
    "src/.env.local",
    "\uff0eenv",
    ".netrc",
    ".pypirc",
]
FREE = [
    "node_modules/x/.vscode/settings.json",
    "lib/site-packages/x/.gitattributes",
    ".env.example",
    ".gitignore",
    ".github/workflows/ci.yml",
    "environment",
    "git/x",
    "a:b",
    "-n",
]


@pytest.fixture
def left(bench: Bench) -> Left:
    """Return what runs a shell script in a stage that may write everything."""

    def run(script: str, *, confinement: str = "L3") -> RunResult:
        (bench.workdir / "script.sh").write_text(f"set -e\n{script}\n")
        return bench.run(
            'a [type=tool, tool_command="sh script.sh"]\nstart -> a -> done',
            confinement=confinement,
        )

    return run


def making(path: str) -> str:
    quoted = shlex.quote(f"./{path}")
    return f'mkdir -p "$(dirname {quoted})"; echo x > {quoted}'


def codes(bench: Bench) -> dict[str, str]:
    """Return what was refused, with the codes."""
    facts = [fact for fact in bench.facts() if isinstance(fact, GuardrailViolation)]
    return {verdict.subject: verdict.code for fact in facts for verdict in fact.verdicts}


@pytest.mark.req("G-10")
@pytest.mark.parametrize("path", MADE)
def test_a_file_that_a_program_leaves(bench: Bench, left: Left, path: str) -> None:
    assert left(making(path)).summary.status == "FAIL"
    assert codes(bench)[path] in {"denied", "secret_file"}
    assert not bench.path(f"workspace/{path}").exists()
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "FAIL"


@pytest.mark.req("G-10")
@pytest.mark.parametrize("level", ["L2", "L1"])
def test_it_is_put_back_where_there_are_no_layers(bench: Bench, level: str) -> None:
    (bench.workdir / ".env").write_text("KEY=1\n")
    result = bench.run(
        """a [type=tool, tool_command="sh -c 'echo KEY=2 > .env'"]\nstart -> a -> done""",
        confinement=level,
    )
    assert result.summary.status == "FAIL"
    assert bench.path("workspace/.env").read_text() == "KEY=1\n"


@pytest.mark.parametrize("path", FREE)
def test_a_file_that_anybody_may_leave(bench: Bench, left: Left, path: str) -> None:
    assert left(making(path)).summary.status == "PASS"
    assert bench.path(f"workspace/{path}").read_text() == "x\n"


@pytest.mark.req("G-10")
@pytest.mark.parametrize(
    "script",
    [
        "rm .env",
        "chmod 777 .env",
        "echo KEY=2 >> .env",
        "mv other .env",
        "ln -sf other .env",
        "mv .env elsewhere",
        "ln -s .env link; echo KEY=2 > link",
        "rm .env; mkdir .env",
    ],
)
def test_a_file_of_the_source_that_a_program_changes(bench: Bench, left: Left, script: str) -> None:
    (bench.workdir / ".env").write_text("KEY=1\n")
    (bench.workdir / "other").write_text("KEY=2\n")
    assert left(script).summary.status == "FAIL"
    assert codes(bench)[".env"] == "secret_file"
    assert bench.path("workspace/.env").read_text() == "KEY=1\n"


@pytest.mark.req("G-10")
@pytest.mark.parametrize(
    ("link", "target", "code"),
    [
        ("config", ".git/config", "denied"),
        ("src/config", "../.GIT", "denied"),
        ("notes", ".env", "secret_file"),
        ("editor", "./.vscode", "denied"),
    ],
)
def test_a_link_that_leads_there(
    bench: Bench, left: Left, link: str, target: str, code: str
) -> None:
    (bench.workdir / "src").mkdir()
    assert left(f"ln -s {target} {link}").summary.status == "FAIL"
    assert codes(bench) == {link: code}


@pytest.mark.req("G-10")
def test_an_agent_that_is_a_program(bench: Bench) -> None:
    (bench.workdir / "agent.sh").write_text(making(".claude/settings.json"))
    result = bench.run(
        'a [prompt="x", local_exec.argv="sh agent.sh", allowed_write_paths=".claude/"]\n'
        "start -> a -> done",
        agent="local_exec",
    )
    assert result.summary.status == "FAIL"
    assert codes(bench)[".claude/settings.json"] == "denied"


@pytest.mark.req("G-10")
def test_an_item_of_a_list(bench: Bench) -> None:
    (bench.workdir / "leave.sh").write_text(making(".mcp.json"))
    bench.pipeline('a [type=tool, tool_command="sh leave.sh"]\nstart -> a -> done', name="item.dot")
    result = bench.run('e [type=each, pipeline="item.dot", items="1..2"]\nstart -> e -> done')
    assert result.summary.status == "FAIL"
    assert codes(bench) == {".mcp.json": "denied"}


@pytest.mark.req("G-10")
def test_a_verification(bench: Bench) -> None:
    (bench.workdir / "leave.sh").write_text(making(".envrc"))
    answers = {
        "answers": [
            {"text": "ok", "context_updates": {"verification.plan": {"commands": ["sh leave.sh"]}}}
        ]
    }
    (bench.home / "answers.json").write_text(json.dumps(answers))
    result = bench.run(
        'a [prompt="x"]\nv [type=verification, verification.allowed_commands="sh leave.sh"]\n'
        "start -> a -> v -> done",
        agent=f"fake:{bench.home / 'answers.json'}",
    )
    assert result.summary.status == "FAIL"
    assert codes(bench) == {".envrc": "denied"}


@pytest.mark.req("G-10")
@pytest.mark.parametrize("how", ["rename", "delete", "mode", "link"])
def test_a_patch_of_an_answer(bench: Bench, how: str) -> None:
    (bench.workdir / ".env").write_text("KEY=1\n")
    (bench.workdir / "other").write_text("KEY=2\n")
    patches = {
        "rename": "diff --git a/other b/.env\nsimilarity index 100%\nrename from other\n"
        "rename to .env\n",
        "delete": "diff --git a/.env b/.env\ndeleted file mode 100644\n--- a/.env\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-KEY=1\n",
        "mode": "diff --git a/.env b/.env\nold mode 100644\nnew mode 100755\n",
        "link": "diff --git a/notes b/notes\nnew file mode 120000\n--- /dev/null\n+++ b/notes\n"
        "@@ -0,0 +1 @@\n+.env\n\\ No newline at end of file\n",
    }
    (bench.workdir / "answer.sh").write_text(f"cat <<'END'\n{patches[how]}END\n")
    result = bench.run(
        'a [prompt="x", command.argv="sh answer.sh"]\nstart -> a -> done',
        agent="command",
    )
    assert result.summary.status == "FAIL"
    assert codes(bench) == {"notes" if how == "link" else ".env": "secret_file"}
    assert bench.path("workspace/.env").read_text() == "KEY=1\n"
    assert not Path(bench.path("workspace/notes")).is_symlink()


@pytest.mark.req("G-10")
@pytest.mark.parametrize(
    ("entry", "code"),
    [(".env", "secret_file"), (".vscode/", "denied"), ("src/.MCP.json", "denied")],
)
def test_an_entry_that_never_counts_is_found(bench: Bench, entry: str, code: str) -> None:
    _, findings = api.check(
        bench.pipeline(f'a [prompt="x", allowed_write_paths="src/,{entry}"]\nstart -> a -> done')
    )
    assert [(finding.code, finding.severity) for finding in findings] == [(code, "warning")]
