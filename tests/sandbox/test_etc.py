"""What of /etc is shown: nothing that is not open to everybody, whoever runs custody."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.sandbox.environment import open_parts, wanted_of_etc
from support.sandboxes import Site

CLOSED = (
    "ssl/private/server.key",
    "ssl/site/privkey.pem",
    "pki/tls/private/localhost.key",
    "pki/consumer/key.pem",
    "pip.conf",
)
OPEN = (
    "ssl/certs/ca.pem",
    "ssl/openssl.cnf",
    "ssl/site/cert.pem",
    "pki/ca-trust/extracted/pem/bundle.pem",
    "pki/tls/certs/own.pem",
    "pki/consumer/cert.pem",
    "os-release",
    "npmrc",
)
LINKS = {
    "pki/tls/cert.pem": "../ca-trust/extracted/pem/bundle.pem",
    "pki/tls/passwords": "../../shadow",
    "pki/tls/again.pem": "private/localhost.key",
    "ssl/own.pem": "../kept/own.pem",
}


def laid_out(etc: Path, names: tuple[str, ...], mode: int) -> None:
    for name in names:
        (etc / name).parent.mkdir(parents=True, exist_ok=True)
        (etc / name).write_text("text")
        (etc / name).chmod(mode)


@pytest.fixture
def etc(tmp_path: Path) -> Path:
    """A folder like /etc, of root's or of a member of the group that may read its keys."""
    laid_out(tmp_path, OPEN, 0o644)
    laid_out(tmp_path, CLOSED, 0o640)
    laid_out(tmp_path, ("shadow",), 0o640)
    laid_out(tmp_path, ("kept/own.pem",), 0o644)
    (tmp_path / "ssl/private").chmod(0o710)
    (tmp_path / "kept").chmod(0o700)
    for name, target in LINKS.items():
        (tmp_path / name).symlink_to(target)
    return tmp_path


def shown(etc: Path) -> list[str]:
    wanted = wanted_of_etc(names=False, machine=True, etc=str(etc))
    found = open_parts(wanted, etc=str(etc))
    return [path.removeprefix(f"{etc}/") for path in found if os.path.exists(path)]


@pytest.mark.req("G-06", "G-08")
def test_keys_are_not_shown(etc: Path) -> None:
    assert sorted(shown(etc)) == [
        "npmrc",
        "os-release",
        "pki/ca-trust",
        "pki/consumer/cert.pem",
        "pki/tls/cert.pem",
        "pki/tls/certs",
        "ssl/certs",
        "ssl/openssl.cnf",
        "ssl/site/cert.pem",
    ]


def test_a_folder_that_is_open_is_shown_whole(etc: Path) -> None:
    for name in CLOSED:
        (etc / name).chmod(0o644)
    (etc / "ssl/private").chmod(0o755)
    assert sorted(shown(etc)) == ["npmrc", "os-release", "pip.conf", "pki", "ssl"]


def test_what_the_user_has_named_is_shown_whole(etc: Path) -> None:
    named = f"{etc}/ssl"
    assert open_parts([named], whole=(named,), etc=str(etc)) == [named]


@pytest.mark.req("G-06", "G-08")
@pytest.mark.parametrize("level", ["L2", "L3"])
def test_what_is_closed_to_others_is_closed_to_root_inside(site: Site, level: str) -> None:
    beside = [path for path in Path("/etc/ssl").iterdir() if path.is_dir()]
    closed = [str(path) for path in beside if path.stat().st_mode & 0o005 != 0o005]
    for folder in ("/etc/ssl/certs", *closed):
        ran = site.run(site.confinement(level), "ls", folder)
        assert ran.result.succeeded == (folder not in closed), folder
