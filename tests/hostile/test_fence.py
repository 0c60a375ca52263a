"""Documents whose blocks want to become files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from custody.model.layout import INGEST_MANIFEST
from support.hostile import Case, Ground, cases, known

KINDS = {"skip": "skipped", "reject": "rejected"}
PIPELINE = """digraph p {
start [shape=Mdiamond]
done [shape=Msquare]
w [type=agent_task, prompt="x", output_path="docs/a.md"]
start -> w -> done
}
"""


@pytest.mark.req("I-04", "I-05", "I-06", "I-07", "I-08", "I-09")
@pytest.mark.parametrize("case", cases("fence"), ids=str)
def test_fence(case: Case, ground: Ground) -> None:
    document = text_of(case.input)
    agent = ground.answers({"text": document})
    pipeline = ground.source(PIPELINE)
    before = ground.surroundings()
    done = ground.start(pipeline, agent, ingest=True)
    assert done.code == 0, done.err
    assert ground.surroundings() == before
    artifacts = manifest(ground)["artifacts"]
    written = {each["declared_file"]: each["sha256"] for each in artifacts if not each["reason"]}
    refused = [f"{each['status']}:{each['reason']}" for each in artifacts if each["reason"]]
    assert hashes(ground.workspace) == written
    if case.kind == "accept":
        assert refused == []
        assert written
    else:
        kind = known(KINDS, case.kind, case)
        assert refused[0] == f"{kind}:{case.code}"
        assert f"Ingest{kind.capitalize()} w" in ground.events()
    if case.code == "secret":
        assert document.split("\n")[1] not in told(ground)
    assert ground.ask("verify").code == 0


def text_of(given: Any) -> str:
    """Return the document; one that is too long to be listed is made."""
    match given:
        case {"gen": expression}:
            made = eval(expression, {"__builtins__": {"range": range}})
            assert isinstance(made, str)
            return made
        case str(text):
            return text
        case other:
            raise AssertionError(other)


def manifest(ground: Ground) -> Any:
    """Return what became of the blocks."""
    return json.loads(ground.path(f"nodes/w/1.1/{INGEST_MANIFEST}").read_text())


def hashes(folder: Path) -> dict[str, str]:
    """Return every file of the workspace."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def told(ground: Ground) -> str:
    """Return everything that anybody could read of the run."""
    files = [path for path in ground.path("").rglob("*") if path.is_file()]
    return "\n".join(path.read_text() for path in files)
