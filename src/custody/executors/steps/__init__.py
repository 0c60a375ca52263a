"""Steps of custody's own: one file each, which reads or changes the workspace and tells of it.

A step is a module with ``carry_out(step) -> Ack``. It judges nothing: what it found is in the
documents that it writes and in its ack, and gates look at those. It starts programs only where the
handler of its node says that it does. A module that also has ``recover(step) -> Ack | None`` is
asked first what has come of a request in doubt; None has it carried out anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from custody.errors import Refused
from custody.executors import Stage
from custody.executors.document import write_document
from custody.model.evidence import Evidence, short_text
from custody.model.request import Ack, StepRequest
from custody.store.packages import module_names

if TYPE_CHECKING:
    from custody.executors.commands import CommandRunner
    from custody.executors.sessions import Session, Sessions
    from custody.model.session import SessionKind


def _none() -> Sessions:
    raise Refused("no_session", "there are no sessions here")


class StepWork:
    """One request for a step, with the ways to documents and programs."""

    def __init__(
        self,
        request: StepRequest,
        stage: Stage,
        runner: Callable[[], CommandRunner],
        sessions: Callable[[], Sessions] = _none,
        source: str = "",
    ) -> None:
        self.request = request
        self.stage = stage
        self.source = source
        """The folder that the workspace was copied from; empty for none."""
        self._runner = runner
        self._sessions = sessions
        self.wrote: list[Evidence] = []
        """The documents that were written, in order."""

    @property
    def settings(self) -> Mapping[str, str]:
        """What the node says about it."""
        return self.request.settings

    @property
    def runner(self) -> CommandRunner:
        """What starts programs, in the sandbox of the stage."""
        return self._runner()

    def session(self, kind: SessionKind) -> Session:
        """Return the session of a kind: a program that stays between the requests of a run."""
        return self._sessions().get(kind)

    def session_named(self, name: str) -> Session | None:
        """Return the session that an earlier step has opened; None when none has."""
        return self._sessions().named(name)

    def read(self, name: str) -> bytes | None:
        """Return the document that it knows by a name; None when it was given none."""
        given = self.request.inputs.get(name)
        return None if given is None else self.stage.run.document(given)

    def write(self, path: str, data: bytes) -> Evidence:
        """Write a document, without secrets; raises `Refused` for one that was not announced."""
        if not self.request.may_write(path):
            raise Refused("output_path", f"the step {self.request.step} may not write {path}")
        written = write_document(self.stage.run, path, self.stage.folder.clean(data))
        self.wrote.append(written)
        return written

    def keep(self, path: str, data: bytes) -> Evidence:
        """Take note of a document that was written once and stays as it is."""
        kept = Evidence(
            path=path,
            sha256=hashlib.sha256(data).hexdigest(),
            bytes=len(data),
            text=short_text(data),
        )
        if kept.text is None:
            self.stage.run.blobs.put(data)
            self.stage.run.blobs.sync()
        self.wrote.append(kept)
        return kept

    def done(self, notes: str = "") -> Ack:
        """Return the ack of a step that came to its end, with the documents that it wrote."""
        return Ack(request_id=self.request.id, status="ok", notes=notes, evidence=(*self.wrote,))


class _Module(Protocol):
    """What the file of a step holds."""

    def carry_out(self, step: StepWork) -> Ack:
        """Do it, and say what was found."""
        ...


@runtime_checkable
class _Recovering(Protocol):
    """What the file of a step holds whose work goes on when the runtime is killed."""

    def recover(self, step: StepWork) -> Ack | None:
        """Return what has come of it; None to do it anew."""
        ...


def carry_out(
    request: StepRequest,
    stage: Stage,
    runner: Callable[[], CommandRunner],
    sessions: Callable[[], Sessions] = _none,
    source: str = "",
) -> Ack:
    """Carry out the step that a request names; raises `Refused` when there is none."""
    import time

    from msgspec.structs import replace

    module = _module(request)
    began = time.monotonic()
    ack = module.carry_out(StepWork(request, stage, runner, sessions, source))
    return replace(ack, seconds=ack.seconds or round(time.monotonic() - began, 6))


def recover(
    request: StepRequest,
    stage: Stage,
    runner: Callable[[], CommandRunner],
    sessions: Callable[[], Sessions],
) -> Ack | None:
    """Return what has come of a request in doubt; None to carry it out anew."""
    module = _module(request)
    if not isinstance(module, _Recovering):
        return None
    return module.recover(StepWork(request, stage, runner, sessions))


def _module(request: StepRequest) -> _Module:
    from importlib import import_module

    if request.step not in module_names(__path__):
        raise Refused("step", f"there is no step {request.step!r}")
    module: _Module = import_module(f"{__name__}.{request.step}")
    return module
