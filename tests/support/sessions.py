"""A run with a session of the echo program, driven by the runtime's own classes."""

from __future__ import annotations

import json
import shutil
import sys
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from custody.executors import Stage
from custody.executors.sessions import Session, SessionKind, SessionReply, Sessions
from custody.executors.sessions.generation import Generation
from custody.executors.sessions.reply import key_of
from custody.model.confinement import Level
from custody.model.event import AnyFact
from custody.model.request import CommandLine, ToolRequest
from custody.model.session import Beat, RecordedSession
from custody.model.session_event import SessionClosed, SessionOpened
from custody.sandbox.caches import StageCaches
from custody.sandbox.stage import StageSandbox
from support import echo
from support.agent_run import wait_for
from support.workspaces import Site

QUICK: dict[str, Any] = {
    "beat": 0.05, "lease": 5.0, "lost": 3.0, "hung": 2.0, "grace": 1.0, "start": 30.0,
}  # fmt: skip
"""Times for programs that take none."""


def echo_kind(home: Path, **changed: Any) -> SessionKind:
    """Return a session of the echo program, which is copied to where a sandbox can show it."""
    program = home / "echo.py"
    if not program.exists():
        shutil.copy(echo.__file__, program)
    fields = {
        "name": "echo",
        "argv": (sys.executable, "-S", str(program)),
        "readable": (str(program),),
        **QUICK,
        **changed,
    }
    return SessionKind(**fields)


class EchoRun:
    """One run, whose processes come and go as the test says."""

    def __init__(self, home: Path, level: Level = "L1", **changed: Any) -> None:
        self.home = home
        self.level: Level = level
        self.kind = echo_kind(home, **changed)
        site = Site(home)
        weakref.finalize(self, site.close)
        self.workspace = site.workspace()
        self.run = self.workspace._run
        self.facts: list[AnyFact] = []
        self.known: Mapping[str, RecordedSession] = {}
        """What the journal says, where it is not what was told."""
        self._attempt = 0
        self._sessions: Sessions | None = None

    @property
    def sessions(self) -> Sessions:
        """The sessions, as the process at work knows them."""
        if self._sessions is None:
            self._sessions = Sessions(self.run.root, self.known or self.recorded())
        return self._sessions

    @property
    def session(self) -> Session:
        """The one session."""
        return self.sessions.get(self.kind)

    def recorded(self) -> Mapping[str, RecordedSession]:
        """Return what a process would read from the journal."""
        told = [fact for fact in self.facts if isinstance(fact, SessionOpened | SessionClosed)]
        last = told[-1:]
        return {
            fact.session: RecordedSession(token=fact.token, open=isinstance(fact, SessionOpened))
            for fact in last
        }

    def forget(self) -> None:
        """Be another process, as after a kill: nothing is known but what is on disk."""
        self.sessions.close()
        self._sessions = None

    def stage(self, number: int = 0) -> Stage:
        """Return the next attempt, or one again."""
        self._attempt = number or self._attempt + 1
        name = f"say/1.{self._attempt}"
        folder = self.run.stage(name)
        folder.clear()
        return Stage(
            node="say",
            run=self.run,
            folder=folder,
            workspace=self.workspace,
            sandbox=StageSandbox(
                self.level, self.workspace, name, StageCaches(self.run.root, name)
            ),
            tell=self.facts.append,
        )

    def ask(self, text: str, timeout: float = 60.0) -> SessionReply:
        """Ask the next thing."""
        stage = self.stage()
        return self.session.ask(self.request(timeout), asked(text), stage)

    def post(self, text: str) -> str:
        """Hand the next thing in, as a process that is killed right afterwards; return its key."""
        self.stage()
        key = key_of(self.request())
        assert self.generation().mailbox.requests.put(key, asked(text))
        return key

    def recover(self, timeout: float = 60.0) -> SessionReply | None:
        """Ask what came of the last thing."""
        return self.session.recover(self.request(timeout), self.stage(self._attempt))

    def request(self, timeout: float = 60.0) -> ToolRequest:
        """Return the last request; of what kind it is makes no difference."""
        line = CommandLine(text="", commands=())
        return ToolRequest(id=f"say/1.{self._attempt}", timeout=timeout, line=line)

    def generation(self, token: int = 0) -> Generation:
        """Return one generation of the session; the last one where none is named."""
        opened = [fact.token for fact in self.facts if isinstance(fact, SessionOpened)]
        return Generation(self.run.root, self.kind.name, token or opened[-1])

    def beat(self, token: int = 0) -> Beat:
        """Return what the watcher says once the program runs."""
        generation = self.generation(token)
        wait_for(lambda: (beat := generation.beat()) is not None and beat.program > 0)
        beat = generation.beat()
        assert beat is not None
        return beat

    def path(self, token: int, relative: str) -> Path:
        """Return a path in the folder of one generation."""
        return Path(self.run.path) / self.generation(token).path / relative

    def log(self) -> list[str]:
        """Return what the program has begun and done under every token, in order."""
        files = sorted((Path(self.run.path) / "session" / "echo").glob("*/box/work/log"))
        return [
            " ".join(line.split()[:3]) for file in files for line in file.read_text().splitlines()
        ]

    def told(self) -> list[str]:
        """Return the facts in a few words."""
        return [
            " ".join(
                filter(None, (type(fact).__name__, str(fact.token), getattr(fact, "reason", "")))
            )
            for fact in self.facts
            if hasattr(fact, "token")
        ]

    def close(self) -> None:
        """Leave the run; nothing of it is open afterwards."""
        self.sessions.leave("run_ended", self.facts.append)
        self.sessions.close()


def asked(text: str) -> bytes:
    """Return a request to the echo program."""
    return json.dumps({"text": text}).encode()


def said(reply: SessionReply | None) -> str:
    """Return what the echo program said."""
    assert reply is not None
    assert reply.status == "ok", reply
    text: str = json.loads(reply.data)["text"]
    return text
