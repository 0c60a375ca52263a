"""The sessions of a run: one of each name, and none that outlives it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from custody.errors import UsageError
from custody.executors.sessions import SessionKind, Sessions
from custody.model.session import RecordedSession
from support.sessions import EchoRun, said
from support.workspaces import Site


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    """Return those of a run that has opened none."""
    with closing(Site(tmp_path)) as site, closing(Sessions(site.run().root, {})) as made:
        yield made


@pytest.mark.parametrize("name", ["echo", "_x", "a.b-c", "9", "x" * 100])
def test_there_is_one_of_each_name(sessions: Sessions, name: str) -> None:
    kind = SessionKind(name=name, argv=("true",))
    assert sessions.get(kind) is sessions.get(kind)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "-x", ".x", "a b", "é", "x" * 101, "a\n"])
def test_a_name_that_cannot_be_one(sessions: Sessions, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a session") as refused:
        sessions.get(SessionKind(name=name, argv=("true",)))
    assert refused.value.hint


def test_leaving_what_was_never_opened_tells_nothing(sessions: Sessions) -> None:
    sessions.get(SessionKind(name="echo", argv=("true",)))
    sessions.leave("run_ended", lambda fact: pytest.fail(str(fact)))


def test_one_that_nobody_has_asked_for_is_closed_too(tmp_path: Path) -> None:
    """An earlier process opened it; the run ends before it is needed again."""
    echo = EchoRun(tmp_path)
    assert said(echo.ask("hello")) == "HELLO"
    token = 1
    with closing(
        Sessions(echo.run.root, {"echo": RecordedSession(token=token, open=True)})
    ) as again:
        told: list[object] = []
        again.leave("run_ended", told.append)
    assert [type(fact).__name__ for fact in told] == ["SessionClosed"]
    echo.close()
