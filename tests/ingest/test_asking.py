"""The form that an agent is told is the one that is read."""

from __future__ import annotations

import pytest

from custody.ingest.asking import FORM, HEADING, asked
from custody.ingest.fences import parse_fences


@pytest.mark.req("U-10")
def test_it_is_told_once() -> None:
    prompt = asked("Write it.\n")
    assert prompt == f"Write it.\n\n{FORM}"
    assert asked(prompt) == prompt
    assert prompt.count(HEADING) == 1


@pytest.mark.req("U-10", "P-20")
def test_it_speaks_of_files_alone() -> None:
    for word in ("node", "stage", "pipeline", "run", "graph", "ingest", "custody", "manifest"):
        assert word not in FORM.lower().replace("-", " ").split()


@pytest.mark.req("U-10")
def test_an_answer_of_that_form_is_read() -> None:
    opening = next(line.strip() for line in FORM.splitlines() if "file=" in line)
    answer = opening.replace("<lang>", "python").replace("<path>", "src/a.py") + "\nx = 1\n```\n"
    (fence,) = parse_fences(answer.encode())
    assert (fence.reason, fence.lang, fence.path) == ("", "python", "src/a.py")
    longer = answer.replace("```", "````").replace("x = 1", "```\nx\n```")
    (fence,) = parse_fences(longer.encode())
    assert (fence.reason, fence.path) == ("", "src/a.py")


def test_whoever_repeats_it_writes_no_file() -> None:
    assert all(fence.reason for fence in parse_fences(FORM.encode()))
