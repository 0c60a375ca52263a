"""What the tests of the store share: a root, a run, facts to write, an ordinary user."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from custody.model.change import Tree
from custody.model.event import AnyFact, PipelineStarted, StageCompleted
from custody.model.outcome import Outcome
from custody.store.journal import Journal
from custody.store.resolve import beneath, own, walk
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.store.syscalls import has_openat2

RESOLVERS = {"openat2": beneath, "walk": walk, "own": own}
RUN_ID = "run_1"
NOBODY = 65534
CORPUS = Path(__file__).parent.parent / "hostile" / "corpus.json"


@pytest.fixture(scope="session")
def hostile() -> Callable[[str], dict[str, Any]]:
    """Return a case of the corpus by its id."""
    cases = {case["id"]: case for case in json.loads(CORPUS.read_text(encoding="utf-8"))}
    return lambda name: cases[name]


@pytest.fixture(params=["openat2", "walk"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Root]:
    """Yield a root that an agent could have prepared, reached either way."""
    if request.param == "openat2":
        assert has_openat2(), "this kernel has no openat2"
    (tmp_path / "ws").mkdir()
    with Root.open(str(tmp_path / "ws"), resolver=RESOLVERS[request.param]) as root:
        yield root


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a directory that nothing may reach."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text("secret")
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Iterator[RunDirectory]:
    """Yield a new run directory."""
    with RunDirectory.create(str(tmp_path / "runs"), RUN_ID) as made:
        made.publish()
        yield made


@pytest.fixture(scope="session")
def started() -> PipelineStarted:
    """Return a first fact."""
    return PipelineStarted(
        pipeline="p",
        pipeline_sha256="0" * 64,
        decided_as=RUN_ID,
        goal="g",
        variables={},
        agent="stub",
        workdir="",
        workspace=Tree(sha256="0" * 64, entries=0, bytes=0),
        versions={},
    )


@pytest.fixture(scope="session")
def completed() -> Callable[..., StageCompleted]:
    """Return a maker of facts that carry anything."""

    def make(notes: str = "", **context: Any) -> StageCompleted:
        outcome = Outcome(status="success", notes=notes, context_updates=context)
        return StageCompleted(node="a", visit=1, attempt=1, outcome=outcome)

    return make


@pytest.fixture(scope="session")
def record(
    started: PipelineStarted, completed: Callable[..., StageCompleted]
) -> Callable[..., Journal]:
    """Return a writer of whole journals."""

    def write(root: Root, *, lines: int = 10, run_id: str = RUN_ID, **how: Any) -> Journal:
        journal = Journal.create(root, run_id, **how)
        facts: list[AnyFact] = [started, *(completed(f"n{n}") for n in range(lines - 1))]
        for fact in facts:
            journal.append(fact, role="engine", path="nodes/a/1.1")
        journal.commit()
        return journal

    return write


@pytest.fixture
def ordinary_user() -> Callable[[], AbstractContextManager[None]]:
    """Return a context in which modes count even when the tests are run by root."""

    @contextmanager
    def enter() -> Iterator[None]:
        if os.geteuid() != 0:
            yield
            return
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)

    return enter
