"""What is asked of a sandbox, and custody's levels as one; those of others: `sandbox_peers`.

Everybody is asked for the same: read what custody shows its programs, change the workspace, hide a
folder of it, reach no network, see no variable of the caller, and keep to limits. What one of them
cannot be asked for, it is not.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.contestants import HERE
from benchmarks.fresh import NotMeasured
from custody.model.limits import StageLimits

if TYPE_CHECKING:
    from support.sandboxes import Site

TESTS = os.path.join(os.path.dirname(HERE), "tests")
"""Where the site and the attacks are kept, which the tests use too."""

Run = Callable[[Sequence[str], str], str]
"""Runs a program in the workspace, with a file as its input; returns what it printed."""
Way = Callable[[], Run]
"""Makes ready, out of the measured time, and returns what is measured."""


class Ask(NamedTuple):
    """What a sandbox is to be."""

    site: Site
    limits: StageLimits = StageLimits()

    @property
    def workspace(self) -> str:
        """The folder that can be changed."""
        return str(self.site.workspace)

    @property
    def hidden(self) -> str:
        """The folder in there that is not to be seen."""
        return f"{self.workspace}/holdout"

    @property
    def readable(self) -> list[str]:
        """What can be read, beside the workspace: what custody shows at L2, and devices."""
        from custody.sandbox.rootfs import readable

        return [*readable(self.site.confinement("L2")), sys.base_prefix, sys.prefix, "/dev"]


def custody(ask: Ask, level: str) -> Run:
    """Return custody at a level; none is a plain start."""
    import msgspec

    from custody.model.request import Command, CommandLine
    from custody.supervise.supervisor import Limits

    site = ask.site

    def run(argv: Sequence[str], stdin: str) -> str:
        out, err = os.memfd_create("stdout"), os.memfd_create("stderr")
        line = CommandLine(text=argv[0], commands=(Command(argv=tuple(argv)),))
        result = site.supervisor.run(line, place, Limits(120), stdout=out, stderr=err, stdin=stdin)
        told = os.pread(out, 1 << 20, 0).decode()
        os.close(out)
        os.close(err)
        if not result.succeeded:
            raise NotMeasured(result.failure_reason)
        return told

    confinement = msgspec.structs.replace(site.attempt(level), limits=ask.limits) if level else None
    place = site.launch(confinement)
    return run


@contextlib.contextmanager
def site_below(folder: str) -> Iterator[Site]:
    """Make a run directory with everything that a stage has, and a hidden folder."""
    sys.path.append(TESTS)
    from custody.supervise.supervisor import Supervisor
    from support.sandboxes import Site

    with Supervisor() as supervisor:
        yield Site(supervisor, Path(folder))
