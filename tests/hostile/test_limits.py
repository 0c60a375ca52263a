"""Programs that use a machine up: each is ended by name, and the next attempt begins clean."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from custody.model.event import RequestAnswered
from custody.model.limits import StageLimits
from custody.supervise.supervisor import Supervisor
from support.exhaustion import AT_L3, ATTACKS, BEGIN, HARMLESS, HARMLESS_LIMITS, SMALL, Attack
from support.hostile import Ground
from support.sandboxes import CONFINED, LEVELS, Site
from support.sweep import paired, turn

CASES = [*paired("attacks", ATTACKS, CONFINED), *((name, "L3") for name in AT_L3)]
ALL = ATTACKS | AT_L3
OF_ANOTHER = [*paired("attacks of another user", ATTACKS, CONFINED), *((n, "L3") for n in AT_L3)]
HARMLESS_OF_ANOTHER = paired("what another user does", HARMLESS, CONFINED)

pytestmark = pytest.mark.req("G-09")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Return a run directory of its own."""
    with Supervisor() as supervisor:
        yield Site(supervisor, tmp_path)


def reason(site: Site, level: str, text: str, limits: StageLimits = SMALL) -> str:
    """Return how a program ends that is held to small limits."""
    confinement = msgspec.structs.replace(site.confinement(level), limits=limits)
    cache = "/cache" if level == "L3" else str(site.cache)
    ran = site.run(confinement, "python3", "-c", BEGIN + text, cache, timeout=60)
    assert ran.result.survivors == 0
    return ran.result.failure_reason or "ok"


@pytest.mark.parametrize(("name", "level"), CASES)
def test_an_attack_is_ended_by_its_limit(site: Site, name: str, level: str) -> None:
    attack: Attack = ALL[name]
    assert reason(site, level, attack.text) == f"limit_exceeded: {attack.limit}"


@pytest.mark.parametrize(("name", "level"), paired("harmless", HARMLESS, CONFINED))
def test_what_only_looks_like_much_is_let_be(site: Site, name: str, level: str) -> None:
    assert reason(site, level, HARMLESS[name], HARMLESS_LIMITS.get(name, SMALL)) == "ok"
    for folder in site.run_folder.rglob("closed"):
        folder.chmod(0o700)


@pytest.mark.parametrize("level", turn("a million", CONFINED))
def test_a_million_is_not_waited_for(site: Site, level: str) -> None:
    """Whoever exceeds a limit is ended soon after, not when it is done."""
    started = time.monotonic()
    text = "for item in range(1_000_000): open(f'f{item}', 'w').close()"
    assert reason(site, level, text) == "limit_exceeded: files (150)"
    assert time.monotonic() - started < 15


AS_ANOTHER_USER = """
import ctypes, json, os, sys
from pathlib import Path
sys.path[:0] = [sys.argv[2]]
import custody.supervise.client
import custody.supervise.limits.watch
from custody.supervise.supervisor import Supervisor
from hostile.test_limits import ALL, HARMLESS, HARMLESS_OF_ANOTHER, OF_ANOTHER, reason
from support.exhaustion import HARMLESS_LIMITS, SMALL
from support.sandboxes import Site
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as a process that was started by that user
told = {}
cases = [(level, name, ALL[name].text) for name, level in OF_ANOTHER]
cases += [(level, name, HARMLESS[name]) for name, level in HARMLESS_OF_ANOTHER]
for level, name, text in cases:
    place = Path(sys.argv[1]) / f'{level}-{name}'
    place.mkdir()
    with Supervisor() as supervisor:
        site = Site(supervisor, place)
        site.environment |= {'HOME': str(place), 'PATH': '/usr/bin:/bin'}
        told[f'{level} {name}'] = reason(site, level, text, HARMLESS_LIMITS.get(name, SMALL))
print(json.dumps(told))
"""

if os.geteuid() == 0:

    def test_another_user_is_held_to_the_same(public: Path, root: Path) -> None:
        done = subprocess.run(
            [sys.executable, "-c", AS_ANOTHER_USER, public, root / "tests"],
            capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        expected = {
            f"{level} {name}": f"limit_exceeded: {ALL[name].limit}" for name, level in OF_ANOTHER
        }
        expected |= {f"{level} {name}": "ok" for name, level in HARMLESS_OF_ANOTHER}
        assert told == expected


FLOOD = "for i in range(40): open(f'left{i}', 'w').write('x' * 100)\n"
LOOK = "import os; assert sorted(os.listdir()) == ['flood.py', 'look.py']\n"
PIPELINE = """digraph p {
start [shape=Mdiamond]
done [shape=Msquare]
flood [type=tool, tool_command="python3 flood.py", limits.files=20, max_retries=1, retry_delay=0]
look [type=tool, tool_command="python3 look.py"]
start -> flood
flood -> done [condition="outcome=success"]
flood -> look [condition="outcome=fail"]
look -> done
}"""


@pytest.mark.parametrize("level", turn("every attempt", LEVELS))
def test_every_attempt_starts_clean(ground: Ground, level: str) -> None:
    (ground.workdir / "flood.py").write_text(FLOOD)
    (ground.workdir / "look.py").write_text(LOOK)
    done = ground.start(ground.source(PIPELINE), confinement=level)
    assert done.code == 0, done
    acks = [fact.ack for fact in ground.facts() if isinstance(fact, RequestAnswered)]
    assert [ack.failure_reason for ack in acks] == ["limit_exceeded: files (20)"] * 2 + [""]
    confined = acks[0].confined
    assert confined is not None
    assert confined.limits is not None
    assert (confined.limits.files, confined.held_by["files"]) == (20, "watcher")
    assert not list(ground.workspace.glob("left*"))
    assert ground.ask("verify").code == 0
    assert ground.ask("replay").code == 0
