"""Confinement and file system of one attempt at a stage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from custody.errors import Refused
from custody.model.confinement import Confined, Level, Network, read_network
from custody.model.event import AnyFact
from custody.model.limits import Holder, Limit, StageLimits
from custody.model.request import (
    StepRequest,
    ToolRequest,
    Usage,
    VerificationRequest,
    stage_limits,
)
from custody.model.secret_files import secret_files
from custody.sandbox.caches import StageCaches
from custody.sandbox.confinement import WORKSPACE_VIEW, GivenFile
from custody.store.rundir import AttemptFolder, RunDirectory
from custody.workspace.workspace import Workspace

if TYPE_CHECKING:
    from custody.workspace.overlay.layer import Layers


class Access(msgspec.Struct, frozen=True):
    """What programs may reach beside the workspace and the system's own programs."""

    network: Network = "none"
    reach: tuple[str, ...] = ()
    """``host:port`` of each server that stays in reach when the network is none."""
    hidden: tuple[str, ...] = ()
    """Paths of the workspace that are not to be seen."""
    scope: tuple[str, ...] | None = None
    """Folders of the workspace beside which nothing of it is seen; None shows all."""
    shown_secrets: tuple[str, ...] | None = None
    """Files with secrets that are seen although others are not; None shows all."""
    changeable: tuple[str, ...] = ("",)
    """Folders of the workspace that can be changed, relative to it."""
    writable: tuple[str, ...] = ()
    """Files and folders of this machine."""
    readable: tuple[str, ...] = ()
    """Further files and folders of this machine that can be read."""
    given: tuple[GivenFile, ...] = ()
    """Files that are found in the home, at L3."""
    secrets: tuple[tuple[str, str], ...] = ()
    """What no record may hold, each with a name."""
    repository: bool = False
    """Whether ``.git`` of the workspace is a folder made for the stage, at L3."""
    own_sandbox: str = ""
    """What an agent is told about a sandbox of its own."""
    limits: StageLimits = StageLimits()


def network_access(request: ToolRequest | VerificationRequest | StepRequest) -> Access:
    """Return the access of a stage that asks for nothing but a network, and its limits."""
    network, reach = read_network(request.network)
    return Access(network=network, reach=reach, limits=stage_limits(request))


class StageSandbox:
    """How the programs of one attempt are confined, and what they work on."""

    def __init__(
        self,
        level: Level | None,
        workspace: Workspace,
        stage: str,
        caches: StageCaches,
        place: str = WORKSPACE_VIEW,
    ) -> None:
        self._level = level
        self.place = place
        """Where L3 shows the workspace."""
        self._workspace = workspace
        self._stage = stage
        self.caches = caches
        """What programs keep for their own speed."""
        self.layers: Layers | None = None
        """What programs have worked on instead of the workspace itself; None when they did not."""
        self.confined: Confined | None = None
        """What held for the programs; None as long as none was started."""
        self._access: Access | None = None
        """What the first of them was let reach."""
        self.edited = False
        """Whether the runtime itself has changed the workspace, as an answer asked it to."""

    @property
    def level(self) -> Level:
        """The level of the run; raises `Refused` when none was chosen."""
        if self._level is None:
            raise Refused("confinement", "no level of confinement was chosen for this run")
        return self._level

    def enter(self, access: Access) -> Level:
        """Make ready for a program, and return the level that it is confined at.

        Later programs of the same attempt find it as it was left. Raises `Refused` when something
        must be hidden and this level cannot hide it.
        """
        level = self.level
        if self.confined is None:
            hidden = self._hide(access, level)
            self._access = access
            self.confined = Confined(
                level=level,
                unconfined=level == "L1",
                network=access.network if level != "L1" else "host",
                reach=access.reach if level != "L1" else (),
                hidden=hidden,
                changeable=access.changeable if level != "L1" else ("",),
                workspace=self.place if level == "L3" else "",
                own_sandbox=access.own_sandbox,
                limits=access.limits,
            )
        return level

    def begin_anew(self) -> None:
        """Let the next program find what the first one of this attempt found."""
        self.caches.end()
        if self._access is not None:
            self._workspace.throw_away(self.layers)
            self._hide(self._access, self.level)

    def show(self, seen: Callable[[], tuple[Iterable[str], Iterable[str]]]) -> None:
        """Take note of what of the machine a program is shown, to read and to change."""
        if self.confined is not None:
            readable, writable = seen()
            self.confined = replace(
                self.confined,
                readable=tuple(sorted({*self.confined.readable, *readable})),
                writable=tuple(sorted({*self.confined.writable, *writable})),
            )

    def tell(
        self,
        *,
        reached: tuple[str, ...],
        refused: tuple[str, ...],
        held_by: Mapping[Limit, Holder] | None = None,
    ) -> None:
        """Take note of the servers that a program came to or not, and of what kept its limits."""
        if self.confined is not None:
            self.confined = replace(
                self.confined,
                reached=tuple(sorted({*self.confined.reached, *reached})),
                refused=tuple(sorted({*self.confined.refused, *refused})),
                held_by={**self.confined.held_by, **(held_by or {})},
            )

    def _hide(self, access: Access, level: Level) -> tuple[str, ...]:
        """Let programs work on layers where the level has any; return what they cannot see."""
        expected = self._workspace.expected
        shown = access.shown_secrets
        secrets = () if shown is None else tuple(secret_files(expected, shown))
        hidden = (*access.hidden, *secrets)
        if level == "L3":
            self.layers = self._workspace.begin_stage(self._stage, hidden, scope=access.scope)
            return tuple(sorted(self.layers.hidden.paths & expected.keys()))
        if there := self._workspace.hidden(hidden, access.scope):
            what = f"{there[0]} cannot be hidden at {level}"
            if there[0] in secrets:
                what += ": leave it out by .custodyignore, or name it in allow_read_secrets"
            hint = "L3 can; `custody doctor` says what stands in its way"
            raise Refused("confinement", what, hint=hint)
        return ()


def _unheard(_used: Usage) -> None:
    """Take no notice."""


class Stage(NamedTuple):
    """Where one attempt may act."""

    node: str
    run: RunDirectory
    folder: AttemptFolder
    """For its evidence; nothing that it starts can write here."""
    workspace: Workspace
    sandbox: StageSandbox
    """What its programs run in."""
    tell: Callable[[AnyFact], None]
    """Writes a fact to the journal, durable on return; for what happens on the way to an ack."""
    use: Callable[[Usage], None] = _unheard
    """Tells what was used so far, before an attempt is broken off that will have no ack."""
