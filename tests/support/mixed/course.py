"""The course of a disturbed run: it is ended again and again, and gone on with until it is over.

A process is ended by a signal when the journal has come to some line, or a moment after it was
started. What waits for a person is answered by the command line. After each process it is looked
up which answers are on record: none of them may be asked for from there on.
"""

from __future__ import annotations

import json
import signal
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence

from custody.errors import EXIT_FAILED, EXIT_WAITING
from custody.model import layout
from support.mixed.mixes import Mix, stops
from support.mixed.place import MixedPlace
from support.mixed.recorded import Recorded, letters_twice
from support.mixed.steps import START, Step, ended, wait_for_its_moment
from support.mixed.twins import counting, journal
from support.sweep import chance

MOST_STEPS = 40
"""Commands after which a run is taken to go in circles."""
LOCKED = "another process is at work on run"
RIVALS = 0.1
"""How often a second process wants to go on with a run at the same time."""


class Course(threading.Thread):
    """What happens to one mixed run, and to the one that branches off it."""

    def __init__(self, place: MixedPlace, mix: Mix, lines: Mapping[str, int]) -> None:
        """Get ready; ``lines`` is how long the journals of the twins are, by run."""
        super().__init__()
        self._place = place
        self._mix = mix
        self._lines = lines
        self.courses: list[RunCourse] = []

    @property
    def troubles(self) -> list[str]:
        """Return what should not have happened, with all that did."""
        return [course.told for course in self.courses if course.troubles]

    def run(self) -> None:
        """Take the run to its end, and the one that branches off it."""
        mix, place = self._mix, self._place
        origin = self._begun(
            mix.run_id,
            "run", place.pipeline(mix, "first"), "--workdir", str(place.project), "--run-id",
            mix.run_id, "--agent", place.agent(mix), "--confinement", mix.level, "--resume",
        )  # fmt: skip
        if mix.way != "forked beside":
            origin.join()
        if mix.fork:
            self._fork(origin)
        origin.join()

    def _fork(self, origin: threading.Thread) -> None:
        """Branch off as soon as the run has come to the node, or is over."""
        mix = self._mix
        other = ["--agent", self._place.agent(mix, other=True)] if mix.fork_answers else []
        while origin.is_alive() and not self._has_come_to(mix.fork):
            time.sleep(0.01)
        words = ("fork", mix.run_id, mix.fork, "--run-id", mix.fork_id, *other)
        self._begun(mix.fork_id, *words).join()

    def _has_come_to(self, node: str) -> bool:
        lines = counting(journal(self._place.run(self._mix.run_id)))
        return any(line["event"] == "StageStarted" and line["node"] == node for line in lines)

    def _begun(self, run_id: str, *words: str) -> RunCourse:
        course = RunCourse(self._place, self._mix, run_id, words, self._lines[run_id])
        self.courses.append(course)
        course.start()
        return course


class RunCourse(threading.Thread):
    """One of its runs."""

    def __init__(
        self, place: MixedPlace, mix: Mix, run_id: str, begin: Sequence[str], lines: int
    ) -> None:
        super().__init__()
        self._place = place
        self._mix = mix
        self._run_id = run_id
        self._begin = [*begin]
        self._lines = lines
        self._by = chance("course", run_id)
        self._stops = stops(mix.number, self._by)
        self._folder = place.run(run_id)
        self._recorded = Recorded({}, Counter())
        self.troubles: list[str] = []
        self.steps: list[Step] = []

    @property
    def told(self) -> str:
        """Return what went wrong, and every step."""
        return "\n".join(f"{self._run_id}: {line}" for line in (*self.troubles, *self.steps))

    def run(self) -> None:
        """Start, end and go on until the run is over."""
        command = self._begin
        for _ in range(MOST_STEPS):
            step = self._step(command, self._stops.pop(0) if self._stops else None)
            self._look_up()
            if step.code == EXIT_WAITING:
                self._answer()
            if self._is_over(step):
                return
            command = self._next()
        self.troubles.append("it goes in circles")

    def _step(self, command: Sequence[str], stop: signal.Signals | None) -> Step:
        """Run a command, ended by a signal where one is given, and sometimes beside a rival."""
        process = self._place.start(*command)
        again = ("resume", self._run_id)
        rival = self._place.start(*again) if self._by.random() < RIVALS else None
        if stop is not None:
            wait_for_its_moment(process, self._folder, self._lines, self._by)
            process.send_signal(stop)
        step = self._noted(ended(process, command, stop))
        if rival is not None:
            self._noted(ended(rival, again))
        return step

    def _noted(self, step: Step) -> Step:
        self.steps.append(step)
        if step.trouble:
            self.troubles.append(step.trouble)
        return step

    def _is_over(self, step: Step) -> bool:
        """Whether the run has ended, with the pipeline that it is to have then; or cannot."""
        if self._status() != "RUNNING":
            return not self._change_is_due()
        explained = LOCKED in step.complaint or step.stop is not None
        if step.code == EXIT_FAILED and not explained:
            self.troubles.append(f"{step}, and has not ended: {step.complaint}")
            return True
        return False

    def _status(self) -> str:
        try:
            manifest = json.loads((self._folder / layout.MANIFEST).read_text())
        except FileNotFoundError:
            return "RUNNING"
        return str(manifest["status"])

    def _change_is_due(self) -> bool:
        if self._mix.changes != self._run_id:
            return False
        return all(line["event"] != "PipelineReplaced" for line in journal(self._folder))

    def _next(self) -> list[str]:
        """Return how it is gone on with the run, or begun again."""
        if not self._folder.exists():
            return self._begin
        again = ["resume", self._run_id]
        if self._change_is_due() and (self._status() != "RUNNING" or self._by.random() < 0.6):
            last = self._place.pipeline(self._mix, "last")
            return [*again, "--pipeline", last, "--accept-pipeline-change"]
        changed = self._mix.changes == self._run_id
        if self._begin[0] == "run" and not changed and self._by.random() < 0.3:
            return self._begin
        return again

    def _answer(self) -> None:
        """Answer what the run waits for, as a person would: not always well, nor at once."""
        waiting = [line for line in journal(self._folder) if line["event"] == "RunWaiting"]
        request = waiting[-1]["data"]["request_id"]
        letter = self._place.home / f"{self._run_id}.letter.md"
        command = ["answer", f"{self._run_id}/{request}", "--file", str(letter)]
        if self._by.random() < 0.3:
            letter.write_text(" \n")
            self._expect("empty", ended(self._place.start(*command), command))
        letter.write_text(self._mix.letter(layout.node_of(request)))
        process = self._place.start(*command)
        if killed := self._by.random() < 0.2:
            time.sleep(self._by.uniform(0, START))
            process.kill()
        step = self._noted(ended(process, command, signal.SIGKILL if killed else None))
        if step.code:
            self._expect("already answered", ended(self._place.start(*command), command))

    def _expect(self, complaint: str, step: Step) -> None:
        """Note a step that is done, or refused for that reason."""
        self._noted(step)
        if step.code and complaint not in step.complaint:
            self.troubles.append(f"{step}: {step.complaint}")

    def _look_up(self) -> None:
        """Look what is on record, and whether anything was asked that was before."""
        books = [self._place.book(self._mix, other=other) for other in (False, True)]
        before, self._recorded = self._recorded, Recorded.of(self._folder, books)
        again = [*before.asked_again(self._recorded), *letters_twice(self._folder)]
        self.troubles += [f"{request} was asked for again" for request in again]
