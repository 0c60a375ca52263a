"""How long the way is: the files, functions and package crossings of a command, measured.

    python scripts/walk.py [WALK …]                 this checkout
    python scripts/walk.py [WALK …] --source DIR    another one
    python scripts/walk.py [WALK …] --before DIR    both: what it is there, and what it is here
    python scripts/walk.py WALK --list              each crossing, in order
    python scripts/walk.py WALK --files             each file, in order

The walks are

    run       `custody run` of a pipeline with one tool
    stage     one stage: from the first journal line about a tool to the first about the next tool
    later     the same for a stage that is not the first of its kind: from the second to the third
    resume    `custody resume` after the runtime was killed in the second of two tools
    fence     `custody run` with one document, of which one block becomes a file

Each is done by the real command line in a process of its own, without a source folder, at the
best level of confinement that the machine has. A profiler notes every call of a function of the
package, in the first thread of that process: what is done beside it, as views are, nobody waits
for; that is counted apart. All modules are imported before: what an
import does is not on the way. Counted are

    files       in which a function was called
    functions   that were called; lambdas and comprehensions are part of where they stand
    crossings   how often the calls, in their order, come into another package than that of the
                call before; a package is a folder or module right below ``custody``
    across      calls of a function by one of another package
    beside      functions that were called in other threads
    passes      how often the journal was opened for reading
    read        how much of it was read, by its size at that moment: 2.0 is all of it twice
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from profiled import PIPELINES, RESULT

ROOT = Path(__file__).parent.parent
STAGES = {"stage": ("first", "second"), "later": ("second", "third")}
"""The walks that are a part of a run: from the first line about a stage to that about another."""
COLUMNS = ("files", "functions", "crossings", "across", "beside", "passes", "read")


class Call(NamedTuple):
    """One call of a function of the package; files are relative to it."""

    file: str
    line: int
    function: str
    caller: str
    """The file of the function that called it; empty when none of the package did."""
    thread: int

    @property
    def package(self) -> str:
        """The folder or module right below the package."""
        return package_of(self.file)

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}"


@dataclass(frozen=True)
class Walk:
    """What was noted on one way."""

    calls: tuple[Call, ...]
    """Those of the first thread."""
    beside: int = 0
    passes: int = 0
    read: float = 0.0

    def crossings(self) -> Iterator[Call]:
        """Yield every call that comes into another package than that of the call before."""
        before = ""
        for call in self.calls:
            if before != call.package:
                before = call.package
                yield call

    def files(self) -> Counter[str]:
        """Return how often each file was called, in the order of the first calls."""
        return Counter(call.file for call in self.calls)

    def figures(self) -> dict[str, str]:
        """Return what is counted, as the table shows it."""
        across = [c for c in self.calls if c.caller and package_of(c.caller) != c.package]
        return {
            "files": str(len(self.files())),
            "functions": str(len({call[:3] for call in self.calls})),
            "crossings": str(len([*self.crossings()])),
            "across": str(len(across)),
            "beside": str(self.beside),
            "passes": str(self.passes),
            "read": f"{self.read:.1f}",
        }


def package_of(file: str) -> str:
    """Return the package that a file belongs to."""
    return file.partition("/")[0].removesuffix(".py")


def measure(way: str, checkout: Path = ROOT) -> Walk:
    """Go one way with the code of a checkout."""
    source = str(checkout.resolve() / "src")
    program = [sys.executable, str(Path(__file__).with_name("profiled.py")), way]
    with tempfile.TemporaryDirectory(prefix="custody-walk-") as folder:
        environment = {**_plain(os.environ), "PYTHONPATH": source, "HOME": folder}
        subprocess.run(
            program, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True, timeout=300
        )
        noted = json.loads(Path(folder, RESULT).read_text(encoding="utf-8"))
    first, last = 0, len(noted["calls"])
    if way in STAGES:
        first, last = (noted["reached"][stage] for stage in STAGES[way])
    calls = [Call(*call) for call in noted["calls"]]
    thread = calls[0].thread
    return Walk(
        calls=tuple(call for call in calls[first:last] if call.thread == thread),
        beside=len({call[:3] for call in calls[first:last] if call.thread != thread}),
        passes=sum(first < when <= last for when in noted["opened"]),
        read=sum(part for when, part in noted["amounts"] if first < when <= last),
    )


def _plain(environment: os._Environ[str]) -> dict[str, str]:
    """Return the environment without settings of custody's."""
    return {name: value for name, value in environment.items() if not name.startswith("CUSTODY_")}


def table(rows: dict[str, list[dict[str, str]]]) -> Iterator[str]:
    """Yield the figures of each way as Markdown; with two, what was and what is."""
    yield f"| walk | {' | '.join(COLUMNS)} |"
    yield f"|---|{'---|' * len(COLUMNS)}"
    for way, figures in rows.items():
        cells = [" → ".join(one[column] for one in figures) for column in COLUMNS]
        yield f"| `{way}` | {' | '.join(cells)} |"


def crossings(walk: Walk) -> Iterator[str]:
    """Yield each crossing as a line, and how often each package was entered."""
    entered: Counter[str] = Counter()
    for number, call in enumerate(walk.crossings(), 1):
        entered[call.package] += 1
        yield f"{number:4}  {call}"
    yield ", ".join(f"{package} {count}" for package, count in entered.most_common())


def files(walk: Walk) -> Iterator[str]:
    """Yield each file as a line, with how often it was called."""
    for number, (file, count) in enumerate(walk.files().items(), 1):
        yield f"{number:4}  {count:5}  {file}"


def main() -> None:
    """Print what is asked for."""
    options = _options()
    checkout = options.source or ROOT
    if options.list or options.files:
        show = crossings if options.list else files
        for way in options.walks:
            print(*show(measure(way, checkout)), sep="\n")
        return
    checkouts = [options.before, checkout] if options.before else [checkout]
    rows = {way: [measure(way, one).figures() for one in checkouts] for way in options.walks}
    print(*table(rows), sep="\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("walks", metavar="WALK", nargs="*", help=", ".join(PIPELINES))
    parser.add_argument("--source", metavar="DIR", type=Path, help="the checkout (default: this)")
    parser.add_argument("--before", metavar="DIR", type=Path, help="a checkout to compare with")
    parser.add_argument("--list", action="store_true", help="print each crossing, in order")
    parser.add_argument("--files", action="store_true", help="print each file, in order")
    options = parser.parse_args()
    options.walks = options.walks or [*PIPELINES]
    if unknown := set(options.walks) - PIPELINES.keys():
        parser.error(f"no such walk: {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    main()
