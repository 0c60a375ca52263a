"""A run opens sessions, closes them before it ends, and finds them again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody import api
from custody.model.event import PipelineCompleted, RequestAnswered
from custody.model.process_event import RunWaiting
from custody.model.session_event import SessionFact, SessionOpened
from support.bench import Bench
from support.ending import ends_before
from support.remains import Remains
from support.session_run import install as install_echo

SAYS = 'one [prompt="one"] two [prompt="two"] start -> one -> two -> done'


@pytest.fixture(autouse=True)
def _no_remains(tmp_path: Path) -> Iterator[None]:
    with Remains() as remains:
        yield
        assert remains.trouble(tmp_path) == ""


@pytest.fixture
def echo(bench: Bench, root: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return a bench with the agent that asks a session."""
    install_echo(bench.home / "site")
    monkeypatch.syspath_prepend(str(bench.home / "site"))
    monkeypatch.setenv("PYTHONPATH", f"{root / 'tests'}")
    return bench


def told(bench: Bench, run_id: str = "r1") -> list[str]:
    return [
        " ".join(filter(None, (type(f).__name__, str(f.token), getattr(f, "reason", ""))))
        for f in bench.facts(run_id)
        if isinstance(f, SessionFact)
    ]


def resume(bench: Bench, **options: object) -> str:
    return api.resume("r1", runsdir=str(bench.runsdir), **options).summary.status  # type: ignore[arg-type]


def verified(bench: Bench, run_id: str = "r1") -> bool:
    found = api.verify(run_id, runsdir=str(bench.runsdir)).mismatches
    assert found == ()
    return True


def test_a_session_is_closed_before_the_run_ends(echo: Bench) -> None:
    assert echo.run(SAYS, agent="echo").summary.status == "PASS"
    assert told(echo) == ["SessionOpened 1", "SessionClosed 1 run_ended"]
    assert isinstance(echo.facts()[-1], PipelineCompleted)
    opened = next(fact for fact in echo.facts() if isinstance(fact, SessionOpened))
    assert opened.confined.level == "L3"
    assert opened.confined.changeable == ("claim", "ack", "state", "work")
    assert verified(echo)
    assert api.replay("r1", runsdir=str(echo.runsdir)).status == "PASS"
    before = echo.path("events.jsonl").read_bytes()
    assert resume(echo) == "PASS"
    assert echo.path("events.jsonl").read_bytes() == before


def test_it_does_not_wait_for_a_person(echo: Bench) -> None:
    asks = 'ask [prompt="Go on?", agent="outbox"] '
    body = asks + SAYS.replace("one -> two", "one -> ask -> two")
    assert echo.run(body, agent="echo").waiting == "ask/1.1"
    assert told(echo) == ["SessionOpened 1", "SessionClosed 1 waiting"]
    assert isinstance(echo.facts()[-1], RunWaiting)
    api.answer("ask/1.1", "yes", runsdir=str(echo.runsdir))
    assert resume(echo) == "PASS"
    assert told(echo)[2:] == ["SessionOpened 2", "SessionClosed 2 run_ended"]
    assert verified(echo)


def test_what_it_did_is_not_done_again(echo: Bench) -> None:
    with ends_before(RequestAnswered, "two"):
        echo.run(SAYS, agent="echo")
    assert verified(echo)
    assert resume(echo) == "PASS"
    assert told(echo) == ["SessionOpened 1", "SessionClosed 1 run_ended"]
    log = echo.path("session/echo/1/box/work/log").read_text()
    assert log.count("begin two.1.1") == 1
    assert echo.path("nodes/two/1.1/response.md").read_text() == "TWO"
    assert verified(echo)


def test_it_is_closed_when_the_run_ends_without_it(echo: Bench) -> None:
    """The process ended when nothing was left to do but to say that the run is over."""
    with ends_before(PipelineCompleted, "done"):
        echo.run(SAYS, agent="echo")
    assert resume(echo) == "PASS"
    assert told(echo) == ["SessionOpened 1", "SessionClosed 1 run_ended"]
    assert isinstance(echo.facts()[-1], PipelineCompleted)
    assert verified(echo)


def test_one_that_knows_of_another_pipeline_is_not_gone_on_with(echo: Bench) -> None:
    with ends_before(RequestAnswered, "two"):
        echo.run(SAYS, agent="echo")
    changed = echo.pipeline(SAYS.replace('"two"', '"too"'))
    assert resume(echo, pipeline=changed, accept_change=True) == "PASS"
    assert told(echo) == [
        "SessionOpened 1",
        "SessionClosed 1 outdated",
        "SessionOpened 2",
        "SessionClosed 2 run_ended",
    ]
    assert echo.path("nodes/two/1.1/response.md").read_text() == "TOO"
    assert verified(echo)


def test_a_fork_has_sessions_of_its_own(echo: Bench) -> None:
    echo.run(SAYS, agent="echo")
    api.fork("r1", "two", runsdir=str(echo.runsdir), run_id="r2")
    assert told(echo, "r2") == ["SessionOpened 1", "SessionClosed 1 run_ended"]
    assert verified(echo, "r2")
