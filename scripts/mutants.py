"""Disable one guard after the other, and see that a test notices each.

    python scripts/mutants.py                     all of them
    python scripts/mutants.py --only writes.py    those whose area or name holds a text

Each mutant is a copy of the sources in an environment of its own, with an interpreter that finds
that copy and nothing else of custody, in whatever process. A mutant is `killed` when a test of its
selection fails in what it asserts. It is none when it cannot be imported, when no test could be
collected, or when a test only ran out of time, unless the table says that it is ``endless``. The
same selection must pass on an unchanged copy. What was noticed by which test is written to the page
of `mutant_page`.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import venv
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import codebase
from custody.supervise.descendants import children
from custody.supervise.reaper import become_subreaper
from mutant_page import PAGE, page, read_rows
from mutant_table import PACKAGE, Mutant, read_table

PYTEST = (
    "-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--hypothesis-seed", "0",
    "-o", "junit_family=xunit1",
)  # fmt: skip
LONGEST = 600
"""Seconds that one selection may take."""
PATIENCE, SHORT_PATIENCE = 150, 30
"""Seconds that one test may take; the second is for one that is expected to hang."""
NOT_NOTICED = ("NameError", "ImportError", "ModuleNotFoundError", "SyntaxError")
"""How a test's failure begins that says nothing about the guard."""
OUT_OF_TIME = "Failed: Timeout"
PASSED, FAILED, NOTHING_RAN = 0, 1, 5


class Outcome(NamedTuple):
    """What became of one mutant."""

    mutant: Mutant
    word: str
    """``killed``, ``survived``, ``skipped`` or ``broken``."""
    told: str
    """The test that noticed; otherwise what is wrong."""


class Ran(NamedTuple):
    """How a selection of tests ended."""

    status: int
    failed: str
    """The first test that failed, and ``reason`` how its failure begins."""
    reason: str
    passed: int
    printed: str


class Copy:
    """A copy of the package, and an interpreter that finds no other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._package = folder / "src" / "custody"
        shutil.copytree(PACKAGE, self._package)
        venv.create(folder / "env", symlinks=True, with_pip=False)
        library = next((folder / "env" / "lib").glob("python*/site-packages"))
        found = f"{folder / 'src'}\n{sysconfig.get_path('purelib')}\n"
        (library / "copy.pth").write_text(found, encoding="utf-8")
        self.python = folder / "env" / "bin" / "python"

    @contextmanager
    def changed(self, texts: Mapping[str, str]) -> Iterator[None]:
        """Have some modules say something else for a while."""
        before = {module: (self._package / module).read_bytes() for module in texts}
        try:
            self._write({module: text.encode() for module, text in texts.items()})
            yield
        finally:
            self._write(before)

    def _write(self, contents: Mapping[str, bytes]) -> None:
        for module, content in contents.items():
            path = self._package / module
            path.write_bytes(content)
            for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                compiled.unlink()

    def run(self, tests: str, seconds: int = PATIENCE) -> Ran:
        """Run a selection of tests; nothing that it started is left."""
        report = self._folder / "report.xml"
        report.unlink(missing_ok=True)
        words = [word if "/" not in word else f"tests/{word}" for word in shlex.split(tests)]
        places = [f"--junitxml={report}", f"--basetemp={self._folder / 'tests'}"]
        places.append(f"--timeout={seconds}")
        become_subreaper()
        known = {*children(os.getpid())}
        with (
            (self._folder / "printed").open("w+", encoding="utf-8", errors="replace") as printed,
            subprocess.Popen(
                [self.python, "-m", "pytest", *PYTEST, *places, *words],
                cwd=codebase.ROOT,
                env={**os.environ, **self._variables},
                stdin=subprocess.DEVNULL,
                stdout=printed,  # a file: whoever is left behind may hold a pipe open for ever
                stderr=subprocess.STDOUT,
                start_new_session=True,
            ) as process,
        ):
            watch = threading.Timer(LONGEST, os.killpg, (process.pid, signal.SIGKILL))
            watch.start()
            process.wait()
            watch.cancel()
            _end_all_but(known)
            printed.seek(0)
            return _read_report(report, process.returncode, printed.read())

    @property
    def _variables(self) -> dict[str, str]:
        """Return what makes every run of the tests alike."""
        nothing = ("CI", "CUSTODY_SOAK", "CUSTODY_POINT", "PYTHONDONTWRITEBYTECODE")
        storage = {"HYPOTHESIS_STORAGE_DIRECTORY": str(self._folder / "hypothesis")}
        return {**dict.fromkeys(nothing, ""), **storage, "CUSTODY_SEED": "0"}


def _end_all_but(known: set[int]) -> None:
    """Kill what a run of the tests has left behind, and what that leaves in turn."""
    while left := {*children(os.getpid())} - known:
        for process in left:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def _read_report(report: Path, status: int, printed: str) -> Ran:
    cases = ET.parse(report).iter("testcase") if report.exists() else ()  # noqa: S314 (our own)
    passed, failed, reason = 0, "", ""
    for case in cases:
        wrong = case.find("failure")
        wrong = case.find("error") if wrong is None else wrong
        if wrong is not None and not failed:
            name = case.get("name", "").partition("[")[0]
            failed, reason = f"{case.get('file')}::{name}", wrong.get("message", "")
        passed += not len(case) or all(part.tag.startswith("system") for part in case)
    return Ran(status, failed, reason, passed, printed)


@cache
def _copy(top: Path) -> Copy:
    """Return the copy that this process works on, made when it is first needed."""
    folder = top / str(os.getpid())
    folder.mkdir()
    return Copy(folder)


def try_unchanged(top: Path, tests: str) -> Ran:
    """Run a selection of tests on the sources as they are."""
    return _copy(top).run(tests)


def attempt(top: Path, mutant: Mutant, before: Ran) -> Outcome:
    """Try one mutant, whose tests ended like ``before`` without it, in a folder below ``top``."""
    if before.status not in {PASSED, NOTHING_RAN}:
        told = f"{mutant.tests} fails without it: {before.failed or before.printed[-2000:]}"
        return Outcome(mutant, "broken", told)
    if not before.passed:
        return Outcome(mutant, "skipped", f"none of {mutant.tests} can run here")
    copy = _copy(top)
    with copy.changed(mutant.texts()):
        ran = copy.run(mutant.tests, SHORT_PATIENCE if mutant.endless else PATIENCE)
    if ran.status == PASSED:
        return Outcome(mutant, "survived", f"{mutant.tests}: {ran.passed} tests pass")
    if ran.status != FAILED or not ran.failed:
        return Outcome(mutant, "broken", f"pytest ended with {ran.status}: {ran.printed[-2000:]}")
    late = ran.reason.startswith(OUT_OF_TIME) and not mutant.endless
    if late or ran.reason.startswith(NOT_NOTICED):
        return Outcome(mutant, "broken", f"{ran.failed}: {ran.reason}")
    return Outcome(mutant, "killed", ran.failed)


def attempt_all(mutants: Sequence[Mutant], jobs: int | None) -> Iterator[Outcome]:
    """Try mutants, some at a time; every selection of tests is tried without them first."""
    selections = list(dict.fromkeys(mutant.tests for mutant in mutants))
    with TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        top = Path(folder)
        top.chmod(0o755)  # some tests become another user
        with ProcessPoolExecutor(jobs) as pool:
            ran = pool.map(partial(try_unchanged, top), selections)
            before = dict(zip(selections, ran, strict=True))
            ends = [before[mutant.tests] for mutant in mutants]
            yield from pool.map(partial(attempt, top), mutants, ends)


def main() -> int:
    """Try the mutants; return 1 when one was not noticed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="those that hold this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at a time")
    options = parser.parse_args()
    table = read_table()
    mutants = [mutant for mutant in table if options.only in f"{mutant.area} {mutant}"]
    outcomes = []
    for outcome in attempt_all(mutants, options.jobs):
        print(f"{outcome.word:8} {outcome.mutant}\n         {outcome.told}", flush=True)
        outcomes.append(outcome)
    wrong = [outcome for outcome in outcomes if outcome.word in {"survived", "broken"}]
    print(f"{len(outcomes)} mutants, {len(wrong)} not noticed")
    rows = {key: test for key, test in read_rows().items() if key not in set(map(str, mutants))}
    rows |= {str(one.mutant): one.told for one in outcomes if one.word == "killed"}
    PAGE.write_text(page(table, rows), encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
