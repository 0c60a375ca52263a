"""A user who runs skills by the command line, and what is held against the protocol afterwards."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from custody import api
from custody.model.session import Beat
from custody.skill import DEFAULT_RUNSDIR
from support.agent_run import wait_for
from support.job_protocol import read, troubles
from support.shell import Done, Here


class Ended(NamedTuple):
    """A job that has ended, as a user sees it."""

    done: Done
    run: Path

    @property
    def manifest(self) -> Any:
        """Return ``job_manifest.json``."""
        return read(self.run / "job_manifest.json")

    @property
    def states(self) -> list[str]:
        """Return the states in the order in which they were entered."""
        lines = map(json.loads, (self.run / "job_timeline.jsonl").read_text().splitlines())
        return [line["state"] for line in lines if line["event"] == "STATE_ENTER"]


class User:
    """Runs skills in a folder; whatever comes of it fits the protocol."""

    def __init__(self, home: Path, config: Path, skill: str) -> None:
        self.home = home
        self.skill = skill
        self.runs = home / DEFAULT_RUNSDIR
        self.shell = Here(home)
        self.shell.environment["XDG_CONFIG_HOME"] = str(config)
        self.expected: list[str] = []
        """What of the protocol cannot hold after what has happened."""

    def run(self, *words: str) -> Ended:
        """Run the skill."""
        usual = {"--design": "top", "--adapter": "local"}
        more = (word for name in usual.keys() - words for word in (name, usual[name]))
        return self.ended(self.shell("skill", "run", self.skill, *words, *more))

    def ended(self, done: Done) -> Ended:
        """Return the job that a command has ended, which must fit the protocol."""
        ended = Ended(done, self.last())
        found = [*troubles(ended.run)]
        assert found == self.expected, found
        assert api.verify(str(ended.run)).mismatches == ()
        manifest = ended.manifest
        assert done.code == (0 if manifest["status"] == "PASS" else 1), done
        assert done.out.startswith(manifest["status"])
        if manifest["status"] == "FAIL":
            assert manifest["error_type"] in done.out
            assert manifest["message"]
        return ended

    def last(self) -> Path:
        """Return the run directory of the latest job."""
        return max(path for path in self.runs.iterdir() if path.name[0] != ".")

    @contextmanager
    def when_asked(self, what: Callable[[Path, Beat], object], tag: str = "run") -> Iterator[None]:
        """Do something to the job's run directory and session once a request was taken up."""
        done = threading.Event()

        def wait() -> None:
            pattern = f"*/session/tool/*/box/claim/*_{tag}.json"
            wait_for(lambda: done.is_set() or any(self.runs.glob(pattern)))
            if not done.is_set():
                what(self.last(), self._beat())

        waiting = threading.Thread(target=wait)
        waiting.start()
        try:
            yield
        finally:
            done.set()
            waiting.join()

    def _beat(self) -> Beat:
        """Return what the watcher of the last job's tool says once the tool runs."""
        (path,) = self.last().glob("session/tool/*/beat.json")
        found: dict[str, Any] = {}

        def runs() -> bool:
            found.update(read(path))
            return bool(found.get("program"))

        wait_for(runs)
        return Beat(**found)
