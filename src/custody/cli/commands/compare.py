"""Compare the metrics of runs, and see what got worse."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result, Tone

if TYPE_CHECKING:
    from custody.cli.render.table import TableRow
    from custody.model.skill.metric import MetricValue
    from custody.skills.metrics import ComparedFigure, Figures

ABOUT = (
    "Put the results of runs side by side, each next to the first run. Jobs are compared by their\n"
    "metrics, with the direction and unit that the contract gives them; other runs by status,\n"
    "time, tokens and cost, stage by stage. A figure with a direction that gets worse is a\n"
    "regression, unless it stays within its threshold: an amount (wns=0.05), or a percentage of\n"
    "the first run's value (area=2%). Time, tokens and cost are judged only with a threshold."
)
EXAMPLES = (
    "custody compare 20260204_170301_18452_a3f9 last",
    "custody compare before after --threshold wns=0.05 --threshold area=2% --fail-on-regression",
    "custody compare a b c --json",
)
_ALPHABET = 26
_LONGEST = 20
"""Characters of a value that a table shows."""
_TONES: dict[str, Tone] = {"better": "good", "worse": "warn", "missing": "warn"}


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    for name, nargs in (("first", None), ("others", "+")):
        runs = parser.add_argument(
            name,
            metavar="RUN",
            help="id, unique prefix of it, run directory, or `last`",
            **({"nargs": nargs} if nargs else {}),
        )
        runs.complete = declare.FOLDER
    runsdir = parser.add_argument(
        "--runsdir",
        metavar="DIR",
        default="",
        help="folder of the runs (default: .skillpilot/runs, then .custody/runs)",
    )
    runsdir.complete = declare.FOLDER
    parser.add_argument(
        "--threshold",
        metavar="NAME=AMOUNT",
        dest="thresholds",
        action="append",
        default=[],
        help="how much worse a figure may get: an amount, or a percentage; may be repeated",
    )
    parser.add_argument(
        "--fail-on-regression",
        dest="fail",
        action="store_true",
        help="exit with 1 if anything got worse than allowed",
    )


def execute(options: Namespace) -> Result:
    """Compare them."""
    from custody.skills.metrics import compare, read_figures, read_thresholds

    thresholds = read_thresholds(options.thresholds)
    places = [_place(word, options.runsdir) for word in (options.first, *options.others)]
    runs = [read_figures(place) for place in places]
    figures = compare(runs, thresholds)
    regressions = sum(one.regression for figure in figures for one in figure.after)
    return Result(
        data={
            "runs": [
                {name: getattr(run, name) for name in ("run", "status", "error_type", "skill")}
                for run in runs
            ],
            "figures": [_told(figure) for figure in figures],
            "regressions": regressions,
        },
        text=_lines(runs, figures, regressions),
        status="FAIL" if options.fail and regressions else "PASS",
    )


def _place(word: str, runsdir: str) -> str:
    """Return the folder of a run: among the jobs first, where no folder is named."""
    from custody import skill
    from custody.cli import config
    from custody.errors import RunNotFound
    from custody.store.index import find_run
    from custody.store.places import is_folder

    if runsdir:
        return find_run(word, runsdir)
    try:
        return find_run(word, skill.DEFAULT_RUNSDIR)
    except RunNotFound as not_there:
        try:
            return find_run(word, config.setting("runsdir", ""))
        except RunNotFound as nowhere:
            raise (not_there if is_folder(skill.DEFAULT_RUNSDIR) else nowhere) from None


def _told(figure: ComparedFigure) -> dict[str, Any]:
    return {
        "name": figure.name,
        "unit": figure.rule.unit,
        "direction": figure.rule.direction,
        "before": figure.before,
        "after": [one._asdict() for one in figure.after],
    }


def _lines(
    runs: Sequence[Figures], figures: Sequence[ComparedFigure], regressions: int
) -> Iterator[Line]:
    import os
    import sys

    from custody.cli.render.table import count, fitted
    from custody.cli.render.terminal import room

    columns = room(sys.stdout, os.environ)

    letters = list(_letters(len(runs)))
    for name, run in zip(letters, runs, strict=True):
        about = "  ".join(filter(None, (run.run, run.status, _error(run), run.skill)))
        yield Line(f"{name}  {about}", "good" if run.status == "PASS" else "bad", hang=3)
    if len({run.skill for run in runs}) > 1:
        yield Line("these are not runs of one version of one skill", "warn")
    for number, name in enumerate(letters[1:]):
        yield Line("")
        headings = ("", "A", name, "change", "")
        yield from fitted(headings, [_row(figure, number) for figure in figures], columns)
    yield Line("")
    told = count(regressions, "regression") if regressions else "no regression"
    yield Line(told, "bad" if regressions else "good")


def _row(figure: ComparedFigure, number: int) -> TableRow:
    """Return a figure in the first run, and in one of the others."""
    from custody.cli.render.table import TableRow

    one = figure.after[number]
    unit = f" ({figure.rule.unit})" if figure.rule.unit else ""
    change = "" if not one.change else _number(one.change, sign="+")
    said = "" if one.verdict == "same" else one.verdict
    tone = "bad" if one.regression else _TONES.get(one.verdict, "")
    return TableRow(
        (
            f"{figure.name}{unit}",
            _value(figure.before),
            _value(one.value),
            change,
            f"{said}: regression" if one.regression else said,
        ),
        tone,
    )


def _value(value: MetricValue | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    return _number(value)


def _number(value: float, *, sign: str = "") -> str:
    text = f"{value:{sign}d}" if isinstance(value, int) else f"{value:{sign}.6g}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _error(run: Figures) -> str:
    return "" if run.error_type == "OK" else run.error_type


def _letters(runs: int) -> Iterator[str]:
    """Return how the runs are called in the tables: A, B … and numbers after Z."""
    for number in range(runs):
        yield chr(ord("A") + number) if number < _ALPHABET else str(number + 1)
