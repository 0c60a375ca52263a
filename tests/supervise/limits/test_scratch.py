"""What lies in the private root of a sandbox is memory, and is counted as that."""

from __future__ import annotations

import msgspec
import pytest

from custody.model.limits import MIB, StageLimits
from support.sandboxes import Site

SMALL = StageLimits(memory=32 * MIB, files=50)


@pytest.mark.req("G-09")
@pytest.mark.parametrize("folder", ["/tmp", "/home", "/dev/shm", "/var/tmp"])
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("head -c 20M /dev/zero > {}/f", ""),
        ("head -c 60M /dev/zero > {}/f", "limit_exceeded: memory (32M)"),
        ("for i in $(seq 90); do : > {}/f$i; done", "limit_exceeded: files (50)"),
        ("truncate -s 1T {}/f", ""),
    ],
)
def test_it_is_counted_when_all_have_ended(
    site: Site, folder: str, command: str, reason: str
) -> None:
    small = msgspec.structs.replace(site.confinement("L3"), limits=SMALL)
    ran = site.run(small, "sh", "-c", command.format(folder))
    assert ran.result.failure_reason == reason


def test_the_next_line_begins_with_nothing(site: Site) -> None:
    small = msgspec.structs.replace(site.confinement("L3"), limits=SMALL)
    for _ in range(3):
        assert site.run(small, "sh", "-c", "head -c 20M /dev/zero > /tmp/f").result.succeeded
