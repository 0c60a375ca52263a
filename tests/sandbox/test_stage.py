"""What one attempt at a stage may see and change, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from custody.errors import Refused
from custody.model.limits import StageLimits
from custody.model.request import CommandLine, ToolRequest
from custody.sandbox.caches import StageCaches
from custody.sandbox.stage import Access, StageSandbox, network_access
from custody.workspace.workspace import Workspace
from support.workspaces import Site


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Return a workspace with something to hide."""
    with closing(Site(tmp_path)) as site:
        for name in ("a/secret", "b/open"):
            (site.source / name).parent.mkdir()
            (site.source / name).write_text(name)
        yield site.workspace()


def sandboxed(level: str | None, workspace: Workspace) -> StageSandbox:
    caches = StageCaches(workspace._run.root, "n/1.1")
    return StageSandbox(level, workspace, "n/1.1", caches)  # type: ignore[arg-type]


def asking(*network: str) -> ToolRequest:
    line = CommandLine(text="true", commands=())
    return ToolRequest(id="n/1.1", timeout=60, line=line, network=network)


def test_a_stage_reaches_what_its_network_says() -> None:
    assert network_access(asking("none")) == Access()
    assert network_access(asking("host")).network == "host"
    assert network_access(asking("api.example.com:443")).reach == ("api.example.com:443",)


def test_no_level_was_chosen(workspace: Workspace) -> None:
    with pytest.raises(Refused, match="no level of confinement"):
        sandboxed(None, workspace).enter(Access())


def test_at_l3_a_stage_works_on_layers_and_cannot_see_what_is_hidden(workspace: Workspace) -> None:
    sandbox = sandboxed("L3", workspace)
    sandbox.enter(Access(reach=("a.example:1",), hidden=("a", "missing"), own_sandbox="read-only"))
    assert sandbox.layers is not None
    assert sandbox.layers.upper.endswith("/layers/n/1.1/upper")
    confined = sandbox.confined
    assert confined is not None
    assert (confined.level, confined.unconfined, confined.network) == ("L3", False, "none")
    assert confined.hidden == ("a",), "what is not there is not hidden"
    assert (confined.reach, confined.own_sandbox) == (("a.example:1",), "read-only")


def test_programs_of_one_attempt_find_it_as_it_was_left(workspace: Workspace) -> None:
    sandbox = sandboxed("L3", workspace)
    sandbox.enter(Access(hidden=("a",)))
    first = sandbox.layers, sandbox.confined
    sandbox.enter(Access(network="host"))
    assert (sandbox.layers, sandbox.confined) == first


@pytest.mark.parametrize("level", ["L1", "L2"])
def test_what_cannot_be_hidden_is_refused(workspace: Workspace, level: str) -> None:
    sandbox = sandboxed(level, workspace)
    with pytest.raises(Refused, match=f"a/secret cannot be hidden at {level}") as refused:
        sandbox.enter(Access(hidden=("a/secret",)))
    assert "custody doctor" in refused.value.hint
    with pytest.raises(Refused, match="cannot be hidden"):
        sandbox.enter(Access(scope=("b",)))
    sandbox.enter(Access(hidden=("missing",)))
    assert sandbox.layers is None


def test_at_l1_nothing_holds_and_that_is_what_is_told(workspace: Workspace) -> None:
    sandbox = sandboxed("L1", workspace)
    sandbox.enter(Access(network="none", reach=("a.example:1",), changeable=("docs",)))
    confined = sandbox.confined
    assert confined is not None
    assert (confined.unconfined, confined.network, confined.reach) == (True, "host", ())
    assert confined.changeable == ("",)


def test_servers_are_told_once_and_in_order(workspace: Workspace) -> None:
    sandbox = sandboxed("L2", workspace)
    sandbox.enter(Access())
    sandbox.tell(reached=("b:1", "a:1"), refused=("x:1",))
    sandbox.tell(reached=("a:1",), refused=("c:1",))
    confined = sandbox.confined
    assert confined is not None
    assert confined.reached == ("a:1", "b:1")
    assert confined.refused == ("c:1", "x:1")


def test_limits_are_told_with_what_kept_them(workspace: Workspace) -> None:
    sandbox = sandboxed("L2", workspace)
    sandbox.enter(Access(limits=StageLimits(files=7)))
    sandbox.tell(reached=(), refused=(), held_by={"files": "watcher"})
    sandbox.tell(reached=(), refused=())
    confined = sandbox.confined
    assert confined is not None
    assert confined.limits == StageLimits(files=7)
    assert confined.held_by == {"files": "watcher"}


def test_nothing_is_told_of_programs_that_were_not_started(workspace: Workspace) -> None:
    sandbox = sandboxed("L2", workspace)
    sandbox.tell(reached=("a:1",), refused=())
    assert sandbox.confined is None


@pytest.mark.req("G-06")
def test_what_of_the_machine_was_shown_is_recorded(workspace: Workspace) -> None:
    sandbox = sandboxed("L3", workspace)
    sandbox.show(lambda: (["/before"], []))
    sandbox.enter(Access())
    sandbox.show(lambda: (["/usr", "/opt/tool"], []))
    sandbox.show(lambda: (["/opt/other"], ["/srv"]))
    assert sandbox.confined is not None
    assert sandbox.confined.readable == ("/opt/other", "/opt/tool", "/usr")
    assert sandbox.confined.writable == ("/srv",)


@pytest.mark.req("U-14")
def test_secrets_are_hidden_from_who_is_not_to_see_them(tmp_path: Path) -> None:
    with closing(Site(tmp_path)) as site:
        for name in (".env", "b.pem", "app.py"):
            (site.source / name).write_text(name)
        workspace = site.workspace()
        agent = sandboxed("L3", workspace)
        agent.enter(Access(shown_secrets=("b.pem",)))
        assert agent.confined is not None
        assert agent.confined.hidden == (".env",)
        tool = sandboxed("L3", workspace)
        tool.enter(Access())
        assert tool.confined is not None
        assert tool.confined.hidden == ()


@pytest.mark.req("U-14")
def test_where_nothing_can_be_hidden_a_secret_must_be_left_out_or_named(tmp_path: Path) -> None:
    with closing(Site(tmp_path)) as site:
        (site.source / ".env").write_text("x")
        workspace = site.workspace()
        with pytest.raises(Refused, match=r"\.env cannot be hidden at L2") as told:
            sandboxed("L2", workspace).enter(Access(shown_secrets=()))
        assert ".custodyignore" in told.value.what
        assert "allow_read_secrets" in told.value.what
        sandboxed("L2", workspace).enter(Access(shown_secrets=(".env",)))
