"""An answer is handed in once, from a file, from a pipe or by an editor."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from custody.cli import main
from support.bench import Bench

ASKS = 'ask [prompt="Review the change for $goal."] start -> ask -> done'


@pytest.fixture
def where(bench: Bench) -> list[str]:
    """Return what finds a run that waits for a person."""
    bench.run(ASKS, agent="outbox")
    return ["ask/1.1", "--runsdir", str(bench.runsdir)]


def response(bench: Bench) -> str:
    assert main(["resume", "r1", "--runsdir", str(bench.runsdir)]) == 0
    return bench.path("nodes/ask/1.1/response.md").read_text()


def editor(home: Path, text: str) -> str:
    path = home / "editor.sh"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.req("C-26")
def test_by_the_command_line(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    where = ["--runsdir", str(bench.runsdir)]
    pipeline = bench.pipeline(ASKS)
    for name in ("a", "b"):
        start = ["run", pipeline, "--agent", "manual_outbox", "--run-id", name, *where]
        assert main(start) == 3
    assert "custody answer a/ask/1.1 --edit" in capsys.readouterr().out
    assert main(["inbox", "--json", *where]) == 0
    listed = json.loads(capsys.readouterr().out)["waiting"]
    assert [(one["run_id"], one["answered"]) for one in listed] == [("a", False), ("b", False)]
    (bench.home / "answer.md").write_text("yes\n")
    from_file = ["--file", str(bench.home / "answer.md"), *where]
    assert main(["answer", "ask/1.1", *from_file]) == 1
    assert main(["answer", "a/ask/1.1", *where]) == 1
    assert main(["answer", "a/ask/1.1", *from_file]) == 0
    assert main(["resume", "b", *where]) == 3
    assert main(["resume", "a", *where]) == 0
    editor = bench.home / "editor.sh"
    editor.write_text('#!/bin/sh\nprintf "edited\\n%s" "$(cat "$1")" > "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    assert main(["answer", "ask/1.1", "--edit", *where]) == 0
    assert main(["inbox", *where]) == 0
    assert "answered" in capsys.readouterr().out
    assert main(["resume", "b", *where]) == 0
    assert bench.path("nodes/ask/1.1/response.md", "b").read_text() == "edited\n"


def test_from_a_pipe(bench: Bench, where: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xc3\xa9\n")))
    assert main(["answer", *where, "--file", "-"]) == 0
    assert response(bench) == "café\n"


@pytest.mark.parametrize("words", [[], ["--edit", "--file", "x"]])
def test_it_comes_from_one_place(
    where: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["answer", *where, *words]) == 1
    assert "give exactly one of --file, --edit" in capsys.readouterr().err


def test_an_editor_sees_the_prompt_and_nothing_below_the_line_is_taken(
    bench: Bench, where: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    grep = 'grep -q "Review the change for ship it." "$1" && '
    write = """{ echo mine; cat "$1"; echo below; } > "$1.new" && mv "$1.new" "$1\""""
    monkeypatch.setenv("VISUAL", editor(bench.home, grep + write))
    assert main(["answer", *where, "--edit"]) == 0
    assert response(bench) == "mine\n"


def test_an_editor_that_fails_answers_nothing(
    bench: Bench,
    where: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", editor(bench.home, "exit 3"))
    assert main(["answer", *where, "--edit"]) == 1
    assert "set $EDITOR, or use --file" in capsys.readouterr().err
    assert main(["inbox", "--json", *where[1:]]) == 0
    assert json.loads(capsys.readouterr().out)["waiting"][0]["answered"] is False
