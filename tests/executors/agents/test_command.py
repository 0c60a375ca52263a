"""Any command as an agent."""

from __future__ import annotations

import shlex
import sys

import pytest

from custody.model.event import RequestAnswered
from custody.model.request import Ack
from support.bench import Bench

NODE = "start -> build -> done\n build [agent=command, prompt="
ECHO = f"{shlex.quote(sys.executable)} -c"


def ack_of(bench: Bench) -> Ack:
    return next(fact.ack for fact in bench.facts() if isinstance(fact, RequestAnswered))


def answering(text: str) -> str:
    return f"{ECHO} {shlex.quote(f'print({text!r})')}"


@pytest.mark.req("C-26")
def test_the_answer_changes_the_workspace(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDDAI_AGENT_CMD", answering("Here:\n```txt file=src/a.txt\nhello\n```"))
    bench.run(f'{NODE}"Go."]')
    assert ack_of(bench).status == "ok"
    assert bench.path("workspace/src/a.txt").read_text() == "hello\n"
    folder = bench.path("nodes/build/1.1")
    assert (folder / "response.md").read_text() == (folder / "command.stdout.log").read_text()
    assert (folder / "command.stderr.log").exists()


@pytest.mark.req("C-26")
def test_it_gets_the_prompt_as_input_and_as_a_file(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = "import sys; print(sys.stdin.read() == open(sys.argv[1]).read(), sys.argv[2:])"
    words = f"{ECHO} {shlex.quote(program)} {{PROMPT_PATH}} '$(id); {{WORKSPACE}}'"
    monkeypatch.setenv("SDDAI_AGENT_CMD", words)
    bench.run(f'{NODE}"Go."]')
    said = bench.path("nodes/build/1.1/response.md").read_text()
    assert said == f"True ['$(id); {bench.workdir}']\n", "it is seen where the source is"


@pytest.mark.req("C-26")
@pytest.mark.parametrize(
    ("answer", "status"), [("Sure! diff --git", "failed"), ("diff --git a/n b/n", "ok")]
)
def test_a_patch_must_be_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, answer: str, status: str
) -> None:
    new_file = "\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+hi"
    monkeypatch.setenv("SDDAI_PATCH_CMD", answering(answer + new_file))
    bench.run(f'{NODE}"Go.", command.target=patch]')
    assert ack_of(bench).status == status
    assert bench.path("workspace/n").exists() == (status == "ok")


@pytest.mark.req("P-08")
@pytest.mark.parametrize("path", ["../out.txt", "/etc/out", ".git/config", ".env"])
def test_a_path_that_may_not_be_written_refuses_all(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    files = f"```txt file=fine.txt\n1\n```\n```txt file={path}\n2\n```"
    monkeypatch.setenv("SDDAI_AGENT_CMD", answering(files))
    bench.run(f'{NODE}"Go."]')
    ack = ack_of(bench)
    assert ack.status == "refused"
    assert [verdict.subject for verdict in ack.verdicts] == [path]
    assert not bench.path("workspace/fine.txt").exists()


def test_a_command_that_fails_fails_the_stage(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDDAI_AGENT_CMD", f"{ECHO} 'raise SystemExit(3)'")
    bench.run(f'{NODE}"Go."]')
    ack = ack_of(bench)
    assert (ack.status, ack.failure_reason) == ("failed", "agent_exit_code_3")
