"""Run the benchmarks and print one table.

python -m benchmarks                  everything, within ten minutes on two cores
python -m benchmarks --quick          smaller sizes, within a minute
python -m benchmarks --only NAME      one subject; may be given more than once
python -m benchmarks --markdown FILE  also write what was measured between the page's markers
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Mapping, Sequence

from benchmarks.fresh import Ground
from benchmarks.subjects import FULL, QUICK, Subject
from benchmarks.subjects.attacks import attacks
from benchmarks.subjects.cold_start import cold_start
from benchmarks.subjects.confinement import confinement
from benchmarks.subjects.fences import fences
from benchmarks.subjects.journal_growth import journal_growth
from benchmarks.subjects.long_run import long_run
from benchmarks.subjects.memory_growth import memory_growth
from benchmarks.subjects.node_time import node_time
from benchmarks.subjects.pack import pack
from benchmarks.subjects.parser import parser
from benchmarks.subjects.retrieval import retrieval
from benchmarks.subjects.start import start
from benchmarks.subjects.tool_sessions import tool_sessions
from benchmarks.subjects.workspace_tree import workspace_tree
from benchmarks.table import (
    TABLE,
    Row,
    Section,
    failures,
    markdown,
    plain,
    replace_between_markers,
)

SUBJECTS: dict[str, Subject] = {
    "node-time": node_time,
    "cold-start": cold_start,
    "workspace": workspace_tree,
    "start": start,
    "confinement": confinement,
    "attacks": attacks,
    "journal": journal_growth,
    "long-run": long_run,
    "memory": memory_growth,
    "parser": parser,
    "fences": fences,
    "pack": pack,
    "tool-sessions": tool_sessions,
    "retrieval": retrieval,
}
LEGEND = (
    "The ratio is custody divided by the peer: below 1 custody is faster or smaller. "
    "“n syncs” counts fsync and its kin a node, by strace. Medians of rounds in turn, "
    "each turn in the quickest of several new folders."
)


def main() -> None:
    """Measure what was asked for; the table is out before the folders are removed."""
    arguments = _arguments()
    begin = time.monotonic()
    found: list[Row | Section] = []
    with Ground.below(arguments.dir) as ground:
        for name in arguments.only or SUBJECTS:
            sys.stderr.write(f"{name}\n")
            found += SUBJECTS[name](ground, QUICK if arguments.quick else FULL)
        _report(found, time.monotonic() - begin, arguments.markdown)


def _report(found: Sequence[Row | Section], seconds: float, page: str | None) -> None:
    rows = [row for row in found if isinstance(row, Row)]
    sections = [section for section in found if isinstance(section, Section)]
    machine = (
        f"Python {platform.python_version()}, {platform.system()} {platform.release()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {seconds:.0f} s"
    )
    missing = "".join(f"Not measured, {reason}\n" for reason in failures(rows))
    table = f"{plain(rows)}\n{missing}{LEGEND}\n\n" if rows else ""
    more = "".join(f"{section.plain()}\n" for section in sections)
    sys.stdout.write(f"{table}{more}{machine}\n")
    sys.stdout.flush()
    if page:
        texts = {section.name: f"{section.markdown()}{machine}.\n" for section in sections}
        if rows:
            texts[TABLE] = f"{markdown(rows)}\n{LEGEND} {machine}.\n"
        _write_page(page, texts)


def _arguments() -> argparse.Namespace:
    command = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure custody.")
    command.add_argument("--quick", action="store_true", help="smaller sizes, within a minute")
    command.add_argument("--only", action="append", choices=list(SUBJECTS), help="one subject")
    command.add_argument("--markdown", metavar="FILE", help="page to write the table into")
    command.add_argument(
        "--dir", default=os.path.join("build", "bench"), help="where to measure: a real disk"
    )
    return command.parse_args()


def _write_page(path: str, texts: Mapping[str, str]) -> None:
    with open(path, encoding="utf-8") as file:
        page = file.read()
    for name, text in texts.items():
        page = replace_between_markers(page, text, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
