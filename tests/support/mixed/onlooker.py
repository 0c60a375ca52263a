"""Readers beside mixed runs: they look at whatever is there, at any moment, and disturb nobody."""

from __future__ import annotations

import random
import shutil
import subprocess
import threading
from collections.abc import Sequence

from custody import api
from custody.errors import EXIT_DONE
from support.mixed.place import MixedPlace

LOOKS = ("verify RUN", "show RUN", "log RUN -f", "runs", "diff RUN", "inbox", "replay RUN",
         "log RUN --json")  # fmt: skip
OTHER = "other"
"""A run that ended before, of which contents are shared, and that is removed at some time."""
PATIENCE = 60.0


class Onlooker(threading.Thread):
    """Looks at runs until it is told that they are over."""

    def __init__(self, place: MixedPlace, run_ids: Sequence[str], by: random.Random) -> None:
        super().__init__()
        self._place = place
        self._run_ids = run_ids
        self._by = by
        self._over = threading.Event()
        self.troubles: list[str] = []
        self.looks = 0
        leave_other(place)

    def run(self) -> None:
        """Look and look again; in between the run of others is removed."""
        removed_at = self._by.randrange(1, 4)
        while not self._over.wait(self._by.uniform(0.05, 0.5)):
            if self.looks == removed_at:
                shutil.rmtree(self._place.run(OTHER))
            self.looks += 1
            run_id = self._by.choice(self._run_ids)
            look = self._by.choice(LOOKS).replace("RUN", run_id).split()
            if not self._place.run(run_id).exists() and run_id in look:
                continue
            self._judge(look, self._place.start(*look))

    def end(self) -> None:
        """Look no more."""
        self._over.set()
        self.join()

    def _judge(self, look: Sequence[str], process: subprocess.Popen[str]) -> None:
        try:
            told, complaint = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            told, complaint = process.communicate()
            complaint = f"hangs; {complaint}"
        if process.returncode != EXIT_DONE or "Traceback" in complaint:
            self.troubles.append(f"{look} ended with {process.returncode}: {told} {complaint}")


def leave_other(place: MixedPlace) -> None:
    """Let a run go over the same source, for others to share its contents."""
    pipeline = place.home / "other.dot"
    pipeline.write_text("digraph o { start [shape=Mdiamond]; d [shape=Msquare]; start -> d }")
    api.run(
        str(pipeline),
        workdir=str(place.project),
        runsdir=str(place.runs),
        run_id=OTHER,
        agent="stub",
    )
