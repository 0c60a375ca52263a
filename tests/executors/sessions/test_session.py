"""A session is opened when it is needed, stays, is found again, and is given up when it must be."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.errors import UsageError
from custody.model.confinement import Level
from custody.model.session import RecordedSession, SessionKind
from custody.model.session_event import SessionAckIgnored, SessionClosed, SessionOpened
from support.agent_run import wait_for
from support.processes import is_alive, stop_all
from support.remains import Remains
from support.sessions import EchoRun, asked, said
from support.sweep import turn

LEVELS: tuple[Level, ...] = ("L1", "L2", "L3")
LEAVES_AT_ONCE = """
import subprocess, sys
subprocess.Popen(sys.argv[1:], start_new_session=True)
sys.exit(1)
"""


@pytest.fixture
def remains(tmp_path: Path) -> Iterator[Remains]:
    """Return what sees everything that the test has started, and must be left with nothing."""
    with Remains() as remains:
        yield remains
        assert remains.trouble(tmp_path) == ""


@pytest.fixture
def echo(tmp_path: Path, remains: Remains) -> Iterator[EchoRun]:
    """Return a run with a session."""
    del remains
    run = EchoRun(tmp_path)
    yield run
    run.close()


def of(echo: EchoRun, **changed: object) -> EchoRun:
    """Return the same run with a session of another kind."""
    fields = {name: getattr(echo.kind, name) for name in echo.kind.__struct_fields__}
    echo.kind = type(echo.kind)(**{**fields, **changed})
    return echo


@pytest.mark.parametrize("level", LEVELS)
def test_one_program_answers_all_requests(echo: EchoRun, level: Level) -> None:
    echo.level = level
    assert said(echo.ask("hello")) == "HELLO"
    first = echo.beat().program
    assert is_alive(first)
    assert said(echo.ask("again")) == "AGAIN"
    assert echo.beat().program == first
    assert echo.told() == ["SessionOpened 1"]
    echo.close()
    assert echo.told() == ["SessionOpened 1", "SessionClosed 1 run_ended"]
    assert not is_alive(first)


def test_what_was_said_is_kept_as_evidence(echo: EchoRun) -> None:
    reply = echo.ask("hello")
    assert [item.path for item in reply.evidence] == [
        "nodes/say/1.1/echo.request.json",
        "nodes/say/1.1/echo.ack.json",
    ]
    assert reply.evidence[1].text == reply.data.decode()
    assert 0 < reply.seconds < 60


def test_nothing_is_started_before_it_is_needed(echo: EchoRun) -> None:
    assert echo.session is echo.session
    echo.close()
    assert echo.facts == []
    assert not (Path(echo.run.path) / "session").exists()


def test_the_fact_is_told_before_the_program_starts(echo: EchoRun) -> None:
    class Killed(BaseException):
        pass

    def tell(fact: object) -> None:
        if isinstance(fact, SessionOpened):
            raise Killed

    stage = echo.stage()._replace(tell=tell)
    with pytest.raises(Killed):
        echo.session.ask(echo.request(), b"{}", stage)
    assert echo.facts == []
    assert not (Path(echo.run.path) / "session/echo/1/beat.json").exists()
    echo.forget()
    assert said(echo.ask("hello")) == "HELLO"
    assert echo.told() == ["SessionOpened 2"]


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "-x", "a b"])
def test_a_name_that_cannot_be_one(echo: EchoRun, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a session"):
        echo.sessions.get(SessionKind(name=name, argv=("sta",)))


class TestFailing:
    def test_a_program_that_ends(self, echo: EchoRun) -> None:
        reply = echo.ask("die:3")
        assert (reply.status, reply.reason) == ("failed", "session_dead: exit code 3")
        assert "the session echo has failed" in reply.summary
        assert reply.failed(echo.request()).failure_reason == reply.reason
        assert said(echo.ask("hello")) == "HELLO"
        assert echo.told() == ["SessionOpened 1", "SessionClosed 1 exited", "SessionOpened 2"]
        closed = next(fact for fact in echo.facts if isinstance(fact, SessionClosed))
        assert closed.exit_code == 3

    def test_a_program_that_is_killed(self, echo: EchoRun) -> None:
        echo.ask("hello")
        os.kill(echo.beat().program, signal.SIGKILL)
        wait_for(lambda: echo.generation().ended() is not None)
        assert said(echo.ask("again")) == "AGAIN"
        closed = next(fact for fact in echo.facts if isinstance(fact, SessionClosed))
        assert (closed.reason, closed.signal) == ("exited", signal.SIGKILL)

    def test_an_ack_that_is_the_last_word(self, echo: EchoRun) -> None:
        assert said(echo.ask("last:0")) == "LAST:0"
        wait_for(lambda: echo.generation().ended() is not None)
        assert said(echo.ask("hello")) == "HELLO"
        assert echo.generation().token == 2

    def test_a_request_that_takes_too_long(self, echo: EchoRun) -> None:
        echo.ask("hello")
        program = echo.beat().program
        reply = echo.ask("slow:600", timeout=0.3)
        assert (reply.status, reply.reason) == ("timeout", "timeout")
        assert reply.failed(echo.request()).status == "timeout"
        assert not is_alive(program)
        assert echo.told()[-1] == "SessionClosed 1 timeout"

    def test_busy_is_not_hung(self, echo: EchoRun) -> None:
        assert said(echo.ask("slow:2.5 hello")) == "SLOW:2.5 HELLO"
        assert echo.kind.hung < 2.5
        assert echo.told() == ["SessionOpened 1"]

    def test_a_program_that_is_stopped(self, echo: EchoRun) -> None:
        echo.ask("hello")
        program = echo.beat().program
        os.kill(program, signal.SIGSTOP)
        reply = echo.ask("again")
        assert (reply.status, reply.reason) == ("failed", "session_hung: stopped")
        assert not is_alive(program)
        assert said(echo.ask("once more")) == "ONCE MORE"
        assert echo.told()[1:] == ["SessionClosed 1 hung", "SessionOpened 2"]

    def test_one_that_is_stopped_for_all_the_time_a_request_has(self, echo: EchoRun) -> None:
        of(echo, hung=60.0)
        echo.ask("hello")
        os.kill(echo.beat().program, signal.SIGSTOP)
        reply = echo.ask("again", timeout=0.5)
        assert (reply.status, reply.reason) == ("timeout", "timeout: stopped")

    @pytest.mark.req("S-08")
    def test_a_program_whose_heartbeat_has_stopped(self, echo: EchoRun) -> None:
        of(echo, pulse=0.5)
        reply = echo.ask("still:600")
        assert (reply.status, reply.reason) == ("failed", "session_hung: silent")
        assert echo.told()[1:] == ["SessionClosed 1 hung"]

    @pytest.mark.req("S-08")
    def test_a_program_that_computes_has_no_time_for_a_heartbeat(self, echo: EchoRun) -> None:
        of(echo, pulse=1.0)
        assert said(echo.ask("spin:1.5 hello")) == "SPIN:1.5 HELLO"
        assert echo.told() == ["SessionOpened 1"]

    def test_a_program_that_takes_up_no_request(self, echo: EchoRun) -> None:
        assert said(echo.ask("deaf")) == "DEAF"
        assert echo.ask("hello").reason == "session_hung: unclaimed"
        assert "begin say.1.2 1" not in echo.log()

    @pytest.mark.parametrize("level", turn("sessions: a killed watcher", LEVELS))
    def test_a_watcher_that_is_killed(self, echo: EchoRun, level: Level) -> None:
        echo.level = level
        echo.ask("hello")
        beat = echo.beat()
        os.kill(beat.watcher, signal.SIGKILL)
        # Its streams are closed, and its program is ended, before it can be waited for itself.
        wait_for(lambda: not is_alive(beat.program) and not is_alive(beat.watcher))
        assert said(echo.ask("again")) == "AGAIN"
        assert echo.told() == ["SessionOpened 1", "SessionClosed 1 lost", "SessionOpened 2"]

    @pytest.mark.parametrize(("text", "why"), [("forged", "is of token 2"), ("broken", "json")])
    def test_an_ack_that_is_none(self, echo: EchoRun, text: str, why: str) -> None:
        reply = echo.ask(text)
        assert reply.status == "failed"
        assert reply.reason.startswith("session_ack_refused: the ack ")
        assert why in reply.reason or text == "broken"
        assert said(echo.ask("hello")) == "HELLO"

    def test_a_second_ack_changes_nothing(self, echo: EchoRun) -> None:
        assert said(echo.ask("twice")) == "TWICE"
        wait_for(lambda: "second False 1" in echo.log())
        assert echo.told() == ["SessionOpened 1"]

    def test_a_program_that_prints_too_much(self, echo: EchoRun) -> None:
        of(echo, output=1000)
        echo.ask("loud:5000 slow")
        wait_for(lambda: echo.generation().ended() is not None)
        assert echo.path(1, "stdout.log").stat().st_size == 1000
        assert said(echo.ask("hello")) == "HELLO"
        assert echo.told()[1] == "SessionClosed 1 output_limit"


class TestStarting:
    def test_no_such_program(self, echo: EchoRun) -> None:
        of(echo, argv=("no-such-program",))
        reply = echo.ask("hello")
        assert reply.reason == "session_start_failed: tool_not_found: no-such-program"
        assert echo.told() == ["SessionOpened 1", "SessionClosed 1 start_failed"]

    def test_no_such_launcher(self, echo: EchoRun) -> None:
        of(echo, launcher=("/no/such/launcher",))
        assert "/no/such/launcher: No such file" in echo.ask("hello").reason
        assert echo.told() == ["SessionOpened 1", "SessionClosed 1 start_failed"]

    def test_a_program_that_ends_at_once(self, echo: EchoRun) -> None:
        of(echo, argv=("sh", "-c", "echo because >&2; exit 7"))
        reply = echo.ask("hello")
        assert reply.reason == "session_start_failed: exit code 7"
        assert "because" in reply.summary

    def test_a_program_that_is_never_ready(self, echo: EchoRun) -> None:
        of(echo, argv=("sleep", "600"), start=0.5)
        assert echo.ask("hello").reason == "session_start_failed: not ready after 0.5 s"

    def test_a_launcher_that_waits_for_its_turn(self, echo: EchoRun) -> None:
        of(echo, launcher=("sh", "-c", 'sleep 2.5; exec "$@"', "sh"), lost=2.0, hung=5.0)
        assert said(echo.ask("hello")) == "HELLO"

    def test_a_launcher_that_ends_before_anything_has_begun_is_not_waited_for(
        self, echo: EchoRun
    ) -> None:
        says = "echo no such queue >&2; exit 0"
        of(echo, launcher=("sh", "-c", says), launcher_stays=True, start=60.0)
        reply = echo.ask("hello")
        assert reply.reason == "session_start_failed: its launcher has ended (exit code 0)"
        assert "no such queue" in reply.summary
        assert reply.seconds < 30

    def test_a_launcher_that_waits_in_a_queue_takes_its_job_back(self, echo: EchoRun) -> None:
        waits = "trap 'echo taken back; exit 1' TERM; echo pending; sleep 600 & wait"
        of(echo, launcher=("sh", "-c", waits), launcher_stays=True, start=2.0)
        reply = echo.ask("hello")
        assert reply.reason == "session_start_failed: nothing was heard of it in 2 s"
        assert "pending" in reply.summary
        assert echo.path(1, "watcher.log").read_text() == "pending\ntaken back\n"

    def test_how_a_launcher_ends_says_nothing(self, echo: EchoRun) -> None:
        of(echo, launcher=(sys.executable, "-c", LEAVES_AT_ONCE))
        assert said(echo.ask("hello")) == "HELLO"
        assert said(echo.ask("again")) == "AGAIN"
        assert echo.told() == ["SessionOpened 1"]


class TestFoundAgain:
    """The runtime is gone, and another takes up the run."""

    @pytest.mark.parametrize("level", turn("sessions: done meanwhile", LEVELS))
    def test_what_was_done_meanwhile_is_taken(self, echo: EchoRun, level: Level) -> None:
        echo.level = level
        echo.ask("hello")
        program = echo.beat().program
        key = echo.post("again")
        echo.forget()
        wait_for(lambda: echo.generation().mailbox.acks.has(key))
        assert said(echo.recover()) == "AGAIN"
        assert said(echo.ask("more")) == "MORE"
        assert echo.told() == ["SessionOpened 1", "SessionAttached 1"]
        assert echo.beat().program == program
        assert echo.log().count(f"begin {key} 1") == 1

    def test_what_is_being_done_is_waited_for(self, echo: EchoRun) -> None:
        echo.ask("hello")
        key = echo.post("slow:1 again")
        echo.forget()
        wait_for(lambda: f"begin {key} 1" in echo.log())
        assert said(echo.recover()) == "SLOW:1 AGAIN"
        assert echo.told() == ["SessionOpened 1", "SessionAttached 1"]
        assert echo.log().count(f"begin {key} 1") == 1

    def test_what_was_never_handed_in_is_asked_anew(self, echo: EchoRun) -> None:
        echo.ask("hello")
        echo.forget()
        echo.stage()
        assert echo.recover() is None
        assert said(echo.ask("again")) == "AGAIN"
        assert echo.told() == ["SessionOpened 1", "SessionAttached 1"]

    def test_the_last_word_of_one_that_is_gone(self, echo: EchoRun) -> None:
        echo.ask("hello")
        echo.post("last:3")
        echo.forget()
        wait_for(lambda: echo.generation().ended() is not None)
        assert said(echo.recover()) == "LAST:3"
        assert said(echo.ask("again")) == "AGAIN"
        assert echo.told() == ["SessionOpened 1", "SessionClosed 1 exited", "SessionOpened 2"]

    def test_one_that_is_gone_without_a_word(self, echo: EchoRun) -> None:
        echo.ask("hello")
        echo.post("die:3")
        echo.forget()
        wait_for(lambda: echo.generation().ended() is not None)
        assert echo.recover() is None
        assert said(echo.ask("again")) == "AGAIN"
        assert echo.told() == ["SessionOpened 1", "SessionClosed 1 exited", "SessionOpened 2"]

    def test_one_that_nobody_took_up_in_time(self, echo: EchoRun) -> None:
        of(echo, lease=2.0)
        echo.ask("hello")
        echo.post("slow:600")
        echo.forget()
        wait_for(lambda: echo.generation().ended() is not None)
        assert echo.recover() is None
        assert echo.told() == ["SessionOpened 1", "SessionClosed 1 lease_expired"]

    def test_a_request_that_takes_too_long_after_all(self, echo: EchoRun) -> None:
        echo.ask("hello")
        echo.post("slow:600")
        echo.forget()
        reply = echo.recover(timeout=0.5)
        assert reply is not None
        assert reply.status == "timeout"
        assert echo.told()[-1] == "SessionClosed 1 timeout"


def test_one_that_was_closed_is_not_gone_on_with(echo: EchoRun) -> None:
    echo.ask("hello")
    key = echo.post("again")
    wait_for(lambda: echo.generation().mailbox.acks.has(key))
    echo.close()
    echo.forget()
    assert echo.recover() is None
    assert said(echo.ask("more")) == "MORE"
    assert echo.told() == ["SessionOpened 1", "SessionClosed 1 run_ended", "SessionOpened 2"]


def test_one_that_did_work_which_no_longer_counts_is_closed(echo: EchoRun) -> None:
    echo.ask("hello")
    program = echo.beat().program
    key = echo.post("again")
    wait_for(lambda: echo.generation().mailbox.acks.has(key))
    echo.forget()
    outdated = {"echo": RecordedSession(token=1, open=True, outdated=True)}
    echo.known = outdated
    assert echo.recover() is None
    assert said(echo.ask("more")) == "MORE"
    assert echo.told() == ["SessionOpened 1", "SessionClosed 1 outdated", "SessionOpened 2"]
    assert not is_alive(program)


def test_tokens_grow_although_somebody_has_removed_the_folders(echo: EchoRun) -> None:
    of(echo, lease=2.0)
    echo.ask("hello")
    watcher = echo.beat().watcher
    echo.forget()
    wait_for(lambda: not is_alive(watcher))
    shutil.rmtree(Path(echo.run.path) / "session")
    assert echo.recover() is None
    assert said(echo.ask("again")) == "AGAIN"
    assert echo.told() == ["SessionOpened 1", "SessionOpened 2"]


def test_sessions_that_no_stage_came_back_to_are_closed_too(echo: EchoRun) -> None:
    echo.ask("hello")
    program = echo.beat().program
    echo.forget()
    echo.close()
    assert echo.told() == ["SessionOpened 1", "SessionClosed 1 run_ended"]
    assert not is_alive(program)


class TestFencing:
    """An old session that was stopped wakes when another has taken its place."""

    @pytest.mark.parametrize("level", turn("sessions: no say", LEVELS))
    def test_it_has_no_say_any_more(self, echo: EchoRun, level: Level) -> None:
        echo.level = level
        echo.ask("hello")
        key = echo.post("slow:0.1 again")
        wait_for(lambda: f"begin {key} 1" in echo.log())
        stopped = stop_all(echo.beat().watcher)
        echo.forget()
        assert echo.recover() is None
        assert echo.told() == ["SessionOpened 1", "SessionClosed 1 lost"]
        assert said(echo.session.ask(echo.request(), asked("anew"), echo.stage(2))) == "ANEW"
        for process in reversed(stopped):
            os.kill(process, signal.SIGCONT)
        wait_for(lambda: echo.generation(1).ended() is not None)
        ended = echo.generation(1).ended()
        assert ended is not None
        assert ended.reason in {"closed", "fenced", "exited"}
        assert said(echo.ask("more")) == "MORE"
        assert echo.generation().token == 2
        echo.close()
        late = [fact for fact in echo.facts if isinstance(fact, SessionAckIgnored)]
        assert late == [], "it found no place for an ack"
        assert echo.generation(1).counted(key) is None
        assert not any(map(is_alive, stopped))

    def test_an_ack_that_came_too_late_is_told_once(self, echo: EchoRun) -> None:
        echo.ask("hello")
        assert echo.ask("slow:600", timeout=0.2).status == "timeout"
        echo.generation(1).mailbox.acks.put("say.1.2", b"late")
        assert said(echo.ask("more")) == "MORE"
        echo.close()
        late = [fact for fact in echo.facts if isinstance(fact, SessionAckIgnored)]
        assert [(fact.token, fact.request_id) for fact in late] == [(1, "say.1.2")]
        assert echo.generation(1).counted("say.1.1") is not None
        assert echo.generation(1).counted("say.1.2") is None
