"""Secrets in what a program prints and in what an agent says: none reaches the run directory."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from custody.model.event import RequestAnswered
from support.hostile import Case, Ground, cases

BODY = (
    'ask [prompt="x"] tell [type=tool, tool_command="sh tell.sh"] '
    'start -> ask ask -> tell ask -> tell [condition="outcome=fail"] tell -> done'
)
SECRET = re.compile(
    r"(?:Bearer |--token |user:|token=|)"
    r"([A-Za-z0-9_-]{6,}[0-9A-Za-z.=]{3,})(?=$|@|\.\.\.|\x07)"
)

COLOUR = re.compile(r"\x1b\[[0-9;]*[a-zA-Z]")
WORD = re.compile(r"[A-Za-z0-9+/_~%-]{8,}")
"""The longest of these with a digit in it is taken for the secret of any other text."""


@pytest.mark.req("I-09")
@pytest.mark.parametrize("case", cases("redaction"), ids=str)
def test_redaction(case: Case, ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = case.input.get("env", {}) if isinstance(case.input, dict) else {}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    pieces = texts_of(case.input)
    text = "".join(pieces)
    lay_out(ground, pieces)
    agent = ground.answers(
        {"text": text, "notes": text, "outcome": "fail", "context_updates": {"said": [text]}}
    )
    run = ground.start(ground.pipeline(BODY), agent)
    assert run.code == 1
    assert ground.ask("verify").code == ground.ask("replay").code == 0
    held = "\n".join([run.out, run.err, evidence(ground)])
    counts = [f.ack.redacted for f in ground.facts() if isinstance(f, RequestAnswered)]
    assert len(counts) == 2
    if case.kind == "accept":
        assert json.dumps(text)[1:-1] in held
        assert counts == [0, 0]
    else:
        assert secret_of(text) not in held
        assert "[redacted:" in held
        assert min(counts) >= 2


def texts_of(given: Any) -> list[str]:
    """Return what a case lets in, piece by piece."""
    match given:
        case {"chunks": chunks}:
            return list(chunks)
        case {"text": text} | {"exception": text} | str(text):
            return [text]
        case {"argv": argv}:
            return [" ".join(argv)]
        case dict(others) if texts := [each for each in others.values() if isinstance(each, str)]:
            return ["\n".join(texts)]
        case other:
            raise AssertionError(other)


def secret_of(text: str) -> str:
    """Return the part of a text that must not be found again."""
    text = COLOUR.sub(" ", text)
    if found := SECRET.search(text):
        return str(found[1]).rstrip(".")[:30]
    words = [word for word in WORD.findall(text) if re.search("[0-9]", word)]
    assert words, f"nothing here knows what is secret in {text!r}"
    return str(max(words, key=len))


def lay_out(ground: Ground, pieces: list[str]) -> None:
    """Write a program that prints the pieces on both streams, one after another, and fails."""
    lines = []
    for number, piece in enumerate(pieces):
        (ground.workdir / f"{number}.txt").write_text(piece)
        lines += [f"cat {number}.txt", f"cat {number}.txt >&2", "sleep 0.05"]
    (ground.workdir / "tell.sh").write_text("\n".join([*lines, "exit 3"]))


def evidence(ground: Ground) -> str:
    """Return everything that the run directory holds, but for the work itself."""
    run = ground.path("")
    return "\n".join(
        path.read_bytes().decode("utf-8", "replace")
        for path in sorted(run.rglob("*"))
        if path.is_file() and path.relative_to(run).parts[0] not in {"workspace", "blobs"}
    )
