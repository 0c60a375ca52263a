"""What a machine says it can give is what it gives, to root and to anybody else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from custody.errors import ConfinementMissing
from custody.model.limits import LIMITS, StageLimits
from custody.supervise import probe
from custody.supervise.descendants import children
from custody.supervise.probe import Offer
from support.overlay import in_child, mount, new_mount_namespace
from support.sandboxes import Site

BECOME_NOBODY = """
import ctypes, os, sys, tempfile
from pathlib import Path
sys.path[:0] = [sys.argv[2]]
import custody.supervise.client
from custody.supervise.supervisor import Supervisor
from custody.supervise.probe import held_limits, offered
from custody.model.record import encode
from support.sandboxes import Site
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as a process that was started by that user
"""
HELD = "print(encode(held_limits('L3', sys.argv[1])).decode())"
OFFER = "print(encode(offered(sys.argv[1])).decode())"
RUN = """
with Supervisor() as supervisor:
    site = Site(supervisor, Path(sys.argv[1]))
    site.environment |= {"HOME": sys.argv[1], "PATH": "/usr/bin:/bin"}
    for level in sys.argv[3:]:
        ran = site.run(site.confinement(level), "sh", "-c", "id -u; ls; cat ../secret.txt")
        print(level, ran.stdout.split(), ran.stderr.strip().rpartition(": ")[2])
"""


def test_the_offer_is_kept(site: Site) -> None:
    offer = probe.offered()
    assert site.run(site.confinement(offer.level), "true").result.succeeded
    assert [level for level in ("L3", "L2") if not offer.has(level)] == list(offer.reasons)


def test_nothing_is_left_of_the_question(tmp_path: Path) -> None:
    probe.try_levels(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_one_answer_serves_all_folders_of_a_file_system(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    first = probe.offered(str(tmp_path / "one"))
    assert probe.offered(str(tmp_path / "other")) is first
    assert probe.try_levels(str(tmp_path / "other")) == first


def test_an_accident_does_not_lower_the_level(tmp_path: Path) -> None:
    """Whoever kills the server of the question gets no lower answer, but none."""
    ended = threading.Event()
    others = set(children(os.getpid()))
    """What the worker has for other tests, a database for instance."""

    def kill_servers() -> None:
        while not ended.is_set():
            for reaper in set(children(os.getpid())) - others:
                for server in children(reaper):
                    with suppress(ProcessLookupError):
                        os.kill(server, signal.SIGKILL)

    probe.offered()  # as it is without an accident
    killer = threading.Thread(target=kill_servers)
    killer.start()
    refused = ""
    try:
        for number in range(20):
            folder = tmp_path / str(number)
            folder.mkdir()
            try:
                assert probe.try_levels(str(folder)) == probe.offered()
            except ConfinementMissing as missing:
                refused = missing.what
                break
    finally:
        ended.set()
        killer.join()
    assert "could not be tried" in refused


@pytest.mark.req("G-09")
def test_what_holds_the_limits_is_found_by_trying() -> None:
    level = probe.offered().level
    held = probe.held_limits(level)
    assert held.limits == StageLimits()
    assert tuple(held.held_by) == LIMITS
    if held.no_cgroup:
        alone = level == "L3" and os.geteuid() != 0
        assert held.held_by["processes"] == ("rlimit" if alone else "watcher")
    assert ("cgroup" in held.held_by.values()) is (held.no_cgroup == "")


def test_levels_are_a_ladder() -> None:
    offer = Offer(level="L2", reasons={"L3": "no user namespaces"})
    assert [offer.has(level) for level in ("L1", "L2", "L3")] == [True, True, False]


def as_nobody(script: str, folder: Path, root: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", BECOME_NOBODY + script, folder, root / "tests", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


if os.geteuid() == 0:

    @pytest.fixture
    def nobodys(tmp_path: Path) -> Path:
        """Return a folder that another user can reach and write to."""
        for folder in (tmp_path, *list(tmp_path.parents)[:3]):
            if folder.owner() == "root" and folder.stat().st_mode & 0o077 == 0:
                folder.chmod(0o711)
        own = tmp_path / "own"
        own.mkdir()
        os.chown(own, 65534, 65534)
        return own

    def test_another_user_is_offered_the_same_or_told_why(nobodys: Path, root: Path) -> None:
        offer = json.loads(as_nobody(OFFER, nobodys, root))
        assert offer["level"] == "L3" or offer["reasons"]["L3"]

    @pytest.mark.req("G-09")
    def test_another_user_is_held_by_the_kernel_where_root_is_not(
        nobodys: Path, root: Path
    ) -> None:
        if json.loads(as_nobody(OFFER, nobodys, root))["level"] == "L3":
            held = json.loads(as_nobody(HELD, nobodys, root))["held_by"]
            assert held["processes"] in {"rlimit", "cgroup"}

    def test_another_user_is_confined_as_root_is(nobodys: Path, root: Path) -> None:
        offer = json.loads(as_nobody(OFFER, nobodys, root))
        wanted = [level for level in ("L2", "L3") if level <= offer["level"]]
        (nobodys / "run").mkdir()
        (nobodys / "run").chmod(0o777)
        (nobodys / "run" / "secret.txt").write_text("secret")
        said = as_nobody(RUN, nobodys, root, *wanted)
        expected = {
            "L2": "L2 ['65534', 'holdout', 'kept.txt'] Permission denied",
            "L3": "L3 ['1000', 'kept.txt'] No such file or directory",
        }
        assert said.splitlines() == [expected[level] for level in wanted]


@pytest.mark.req("G-29")
def test_no_overlay_is_offered_where_it_could_not_replace_a_folder(tmp_path: Path) -> None:
    """A file system without user attributes: an overlay can be mounted, and `rm -r` fails in it."""
    if os.getuid() != 0:
        pytest.skip("needs root to mount a ramfs")
    place = tmp_path / "ramfs"
    place.mkdir()

    def there() -> Offer:
        new_mount_namespace()
        mount("ramfs", str(place))
        return probe.offered(str(place))

    offer = in_child(there)
    assert offer.level != "L3"
    assert "no user attributes" in offer.reasons["L3"]
