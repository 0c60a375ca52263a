"""Steps of custody's own: one file each, which reads or changes the workspace and tells of it.

A step is a module with ``carry_out(step) -> Ack``. It judges nothing: what it found is in the
documents that it writes and in its ack, and gates look at those. It starts programs only where the
handler of its node says that it does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from custody.errors import Refused
from custody.executors import Stage
from custody.executors.document import write_document
from custody.model.request import Ack, StepRequest
from custody.store.packages import module_names

if TYPE_CHECKING:
    from custody.executors.commands import CommandRunner
    from custody.model.evidence import Evidence


class StepWork:
    """One request for a step, with the ways to documents and programs."""

    def __init__(
        self, request: StepRequest, stage: Stage, runner: Callable[[], CommandRunner]
    ) -> None:
        self.request = request
        self.stage = stage
        self._runner = runner
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

    def read(self, name: str) -> bytes | None:
        """Return the document that it knows by a name; None when it was given none."""
        given = self.request.inputs.get(name)
        return None if given is None else self.stage.run.document(given)

    def write(self, path: str, data: bytes) -> Evidence:
        """Write a document, without secrets; raises `Refused` for one that was not announced."""
        if path not in self.request.writes:
            raise Refused("output_path", f"the step {self.request.step} may not write {path}")
        written = write_document(self.stage.run, path, self.stage.folder.clean(data))
        self.wrote.append(written)
        return written

    def done(self, notes: str = "") -> Ack:
        """Return the ack of a step that came to its end, with the documents that it wrote."""
        return Ack(request_id=self.request.id, status="ok", notes=notes, evidence=(*self.wrote,))


class _Module(Protocol):
    """What the file of a step holds."""

    def carry_out(self, step: StepWork) -> Ack:
        """Do it, and say what was found."""
        ...


def carry_out(request: StepRequest, stage: Stage, runner: Callable[[], CommandRunner]) -> Ack:
    """Carry out the step that a request names; raises `Refused` when there is none."""
    import time
    from importlib import import_module

    from msgspec.structs import replace

    if request.step not in module_names(__path__):
        raise Refused("step", f"there is no step {request.step!r}")
    module: _Module = import_module(f"{__name__}.{request.step}")
    began = time.monotonic()
    ack = module.carry_out(StepWork(request, stage, runner))
    return replace(ack, seconds=ack.seconds or round(time.monotonic() - began, 6))
