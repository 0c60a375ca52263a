"""What a stage's processes may reach, as plain data.

Nothing here acts; `custody.sandbox.apply` does.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from custody.model.confinement import Level, Network
from custody.model.endpoint import parse_endpoint
from custody.model.limits import StageLimits
from custody.model.record import Record, ready
from custody.sandbox.environment import HOME
from custody.store.places import is_folder

WORKSPACE_VIEW = "/ws"
CACHE_VIEW = "/cache"
HOME_VIEW = "/home"
"""Where L3 shows the workspace of a run without a source, the caches and an empty home."""

_OUT_OF_SIGHT = ("CUSTODY_RUN_DIR", "CUSTODY_STAGE_DIR")
"""Variables that name folders which a confined process cannot open."""


class OverlayPaths(Record, frozen=True):
    """Folders that are seen as one; nothing but ``upper`` is ever changed."""

    lower: tuple[str, ...]
    """Top first; a whiteout in one hides the path in those after it."""
    upper: str
    """Takes every change."""
    work: str
    """Empty folder on the file system of ``upper``, for the kernel's own use."""


class ProxyListener(Record, frozen=True):
    """Where processes of a closed network find a proxy; see `custody.egress.proxy`."""

    address: str
    port: int
    server: str = ""
    """``host:port`` of the server it leads to; empty for a proxy, which is told."""


class GivenFile(Record, frozen=True):
    """A file that processes at L3 find in their home, and nobody elsewhere."""

    place: str
    """Relative to the home."""
    data: bytes


class Confinement(Record, frozen=True):
    """What one line of commands may reach."""

    level: Level
    workspace: str
    """The folder on this machine."""
    cache: str = ""
    """Writable folder outside the workspace; empty for none."""
    cache_layers: OverlayPaths | None = None
    """What that folder is made of, at L3; None shows the folder itself."""
    layers: OverlayPaths | None = None
    """What the workspace is made of, at L3; None shows the folder itself."""
    place: str = WORKSPACE_VIEW
    """Where L3 shows the workspace; see `custody.sandbox.place`."""
    changeable: tuple[str, ...] = ("",)
    """Folders of the workspace that can be changed, relative to it; the rest can be read."""
    readable: tuple[str, ...] = ()
    """Files and folders that can be read, beside the system's programs and libraries."""
    writable: tuple[str, ...] = ()
    """Files and folders that can be changed, beside workspace and caches."""
    network: Network = "none"
    reach: tuple[str, ...] = ()
    """``host:port`` of each server that can be reached although the network is none."""
    listeners: tuple[ProxyListener, ...] = ()
    """The way there, the proxy first; without one nothing is reached. Set by whoever opens it."""
    given: tuple[GivenFile, ...] = ()
    """Files that they find in their home."""
    repository: bool = False
    """Whether a folder of the caches is seen as ``.git`` of the workspace, at L3."""
    sealed: bool = False
    """Whether nothing that they can change may be run, or loaded as a library, at L3."""
    limits: StageLimits = StageLimits()
    user: int | None = None
    """User and group that root becomes, at L2; None stays as it is, without capabilities."""

    @property
    def view(self) -> str:
        """Where the processes find their workspace."""
        return self.place if self.level == "L3" else self.workspace

    @property
    def tools_of_source(self) -> tuple[str, ...]:
        """Toolchains of the source, at L3: they are seen in the workspace as they are outside."""
        if self.level != "L3":
            return ()
        return tuple(path for path in self.readable if path.startswith(f"{self.place}/"))

    def changed(self, workspace: str) -> list[str]:
        """Return what can be changed of a workspace that is seen at a path."""
        folders = (f"{workspace}/{folder}".rstrip("/") for folder in self.changeable)
        return [folder for folder in folders if is_folder(folder)]

    @property
    def base(self) -> Confinement:
        """What of it is the same for every workspace, and of the limits what is mounted."""
        mounted = StageLimits(memory=self.limits.memory, files=self.limits.files)
        return msgspec.structs.replace(
            self,
            workspace="",
            cache="",
            cache_layers=None,
            layers=None,
            changeable=(),
            given=(),
            repository=False,
            limits=mounted,
        )

    @property
    def home(self) -> str:
        """Where the processes find their home; empty leaves it as it is."""
        if self.level == "L3":
            return HOME_VIEW
        return f"{self.cache}/{HOME}" if self.level == "L2" and self.cache else ""


def stage_confinement(
    level: str,
    *,
    workspace: str,
    cache: str,
    layers: OverlayPaths | None,
    network: str,
    place: str = WORKSPACE_VIEW,
    cache_layers: OverlayPaths | None = None,
    readable: tuple[str, ...],
    reach: tuple[str, ...] = (),
    changeable: tuple[str, ...] = ("",),
    writable: tuple[str, ...] = (),
    given: tuple[GivenFile, ...] = (),
    repository: bool = False,
    sealed: bool = False,
    limits: StageLimits = StageLimits(),  # noqa: B008 - frozen
) -> Confinement:
    """Return the confinement of one stage; raises `ValueError` for what cannot be meant."""
    for name, path in (("workspace", workspace), ("cache", cache or "/")):
        if not path.startswith("/"):
            raise ValueError(f"the {name} must be an absolute path, not {path!r}")
    fields = {
        "level": level,
        "workspace": workspace,
        "cache": cache,
        "cache_layers": cache_layers,
        "layers": layers,
        "place": place,
        "network": network,
        "changeable": changeable,
        "readable": readable,
        "writable": writable,
        "given": given,
        "repository": repository,
        "sealed": sealed,
        "limits": limits,
        "reach": tuple(parse_endpoint(text).text for text in reach),
    }
    try:
        return msgspec.convert(fields, ready(Confinement), from_attributes=True)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def seen_environment(confinement: Confinement, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables as they are true inside: moved paths, and a proxy."""
    seen = {**environment, **_proxy_variables(confinement)}
    if confinement.level == "L1":
        return seen
    for name in _OUT_OF_SIGHT:
        seen.pop(name, None)
    if confinement.level != "L3":
        return seen
    moved = {confinement.workspace: confinement.place}
    if confinement.cache:
        moved[confinement.cache] = CACHE_VIEW
    return {name: _moved(value, moved) for name, value in seen.items()}


def _proxy_variables(confinement: Confinement) -> dict[str, str]:
    if not confinement.listeners:
        return {}
    proxy = f"http://{confinement.listeners[0].address}:{confinement.listeners[0].port}"
    found = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), proxy)
    found["NO_PROXY"] = "localhost,127.0.0.1,::1"
    return found | {name.lower(): value for name, value in found.items()}


def _moved(value: str, moved: Mapping[str, str]) -> str:
    for path, view in moved.items():
        if value == path:
            return view
        value = value.replace(f"{path}/", f"{view}/")
    return value
