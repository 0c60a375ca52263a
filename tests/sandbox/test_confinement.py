from __future__ import annotations

from typing import Any

import msgspec
import pytest

from custody.sandbox.confinement import (
    Confinement,
    OverlayPaths,
    ProxyListener,
    seen_environment,
    stage_confinement,
)

LAYERS = OverlayPaths(lower=("/run/mask", "/run/workspace"), upper="/run/upper", work="/run/work")


def stage(
    level: str = "L3",
    *,
    workspace: str = "/run/workspace",
    network: str = "none",
    reach: tuple[str, ...] = (),
) -> Confinement:
    return stage_confinement(
        level,
        workspace=workspace,
        cache="/run/cache",
        layers=LAYERS,
        network=network,
        readable=("/opt/tool",),
        reach=reach,
    )


def test_a_stage_is_confined_as_it_says() -> None:
    confinement = stage()
    assert (confinement.view, confinement.home) == ("/ws", "/home")
    assert confinement.layers == LAYERS
    assert confinement.readable == ("/opt/tool",)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(confinement), type=Confinement) == (
        confinement
    )


@pytest.mark.parametrize("wrong", [{"level": "L4"}, {"network": "some"}, {"workspace": "relative"}])
def test_what_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"L4|some|relative"):
        stage(**wrong)


def test_variables_tell_what_is_true_inside() -> None:
    variables = {
        "HOME": "/root",
        "PATH": "/usr/bin",
        "TMPDIR": "/run/cache/tmp",
        "PYTEST_ADDOPTS": "-o 'cache_dir=/run/cache/pytest'",
        "GOPATH": "/run/workspace",
        "OTHER": "/run/cachet",
        "CUSTODY_RUN_DIR": "/run",
        "CUSTODY_STAGE_DIR": "/run/nodes/a/1.1",
        "CUSTODY_NODE_ID": "a",
    }
    assert seen_environment(stage(), variables) == {
        "HOME": "/root",
        "PATH": "/usr/bin",
        "TMPDIR": "/cache/tmp",
        "PYTEST_ADDOPTS": "-o 'cache_dir=/cache/pytest'",
        "GOPATH": "/ws",
        "OTHER": "/run/cachet",
        "CUSTODY_NODE_ID": "a",
    }
    assert seen_environment(stage("L2"), variables) == {
        name: value for name, value in variables.items() if not name.endswith("_DIR")
    }
    assert seen_environment(stage("L1"), variables) == variables


def test_servers_are_kept_in_one_form() -> None:
    assert stage(reach=("API.example.com:443", "[0::1]:1")).reach == (
        "api.example.com:443",
        "[::1]:1",
    )
    with pytest.raises(ValueError, match="a scheme"):
        stage(reach=("https://api.example.com",))


@pytest.mark.parametrize("level", ["L2", "L3"])
def test_variables_name_the_proxy_where_there_is_one(level: str) -> None:
    listeners = (
        ProxyListener(address="127.0.0.1", port=3128),
        ProxyListener(address="::1", port=1, server="[::1]:1"),
    )
    seen = seen_environment(
        msgspec.structs.replace(stage(level), listeners=listeners), {"http_proxy": "x"}
    )
    assert seen == {
        **{f"{name}_PROXY": "http://127.0.0.1:3128" for name in ("HTTP", "HTTPS", "ALL")},
        **{f"{name}_proxy": "http://127.0.0.1:3128" for name in ("http", "https", "all")},
        "NO_PROXY": "localhost,127.0.0.1,::1",
        "no_proxy": "localhost,127.0.0.1,::1",
    }


@pytest.mark.req("G-11")
def test_paths_of_the_run_are_others_inside() -> None:
    inside = Confinement(
        level="L3", workspace="/r/one/workspace", cache="/r/one/cache/x", run="/r/one"
    )
    variables = {
        "A": "/r/one/homes/a",
        "B": "/r/one/workspace/b:/r/one/cache/x/c",
        "C": "/r/one2/d",
    }
    assert seen_environment(inside, variables) == {
        "A": "/custody/homes/a", "B": "/ws/b:/cache/c", "C": "/r/one2/d",
    }  # fmt: skip
    assert inside.seen_at("/r/one/homes/a") == "/custody/homes/a"
    assert inside.seen_at("/r/one2/a") == "/r/one2/a"
    assert msgspec.structs.replace(inside, level="L2").seen_at("/r/one/a") == "/r/one/a"
