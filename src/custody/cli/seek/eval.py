"""`custody seek eval`: how well the search finds what the logbook's own history asks for."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli.result import Arguments, Line, Result
from custody.cli.seek.opening import opened
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.seek.evaluate import Evaluation
    from custody.seek.quality import Quality

QUESTIONS = 300


def arguments(parser: Arguments) -> None:
    """Declare how much is asked, and whether it counts."""
    parser.add_argument(
        "--questions",
        metavar="N",
        type=int,
        help=f"eval: so many at most to choose by, and to measure by (default: {QUESTIONS})",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="eval: measure, and leave the weights as they are"
    )


def execute(options: Namespace) -> Result:
    """Measure, and keep the weights that are best."""
    from custody.seek.evaluate import evaluate
    from custody.seek.history import questions_of

    most = QUESTIONS if options.questions is None else options.questions
    if most < 1:
        raise UsageError("--questions is a number from 1 on")
    with opened(options, begun=True) as (book, index, resolver, _):
        index.refuse_another()
        asked = questions_of(book.database, resolver, most)
        found = evaluate(index, asked.dev, asked.test)
        kept = not options.dry_run and found.weights != index.weights()
        if kept:
            index.set_weights(found.weights)
    data = {"status": "PASS", "kept": kept, "evaluation": found}
    return Result(data=data, text=_lines(found, kept=kept))


def _lines(found: Evaluation, *, kept: bool) -> Iterator[Line]:
    weights = found.weights
    yield Line(f"{'':<22} questions  MRR@10  recall@10", "strong")
    for name, figures in (
        ("chosen on dev", found.dev),
        ("test, words only", found.words),
        ("test, weights before", found.before),
        ("test, weights chosen", found.test),
    ):
        yield Line(_figures(name, figures))
    yield Line(f"vectors add {found.gain} to the MRR of test, 95 of 100 samples", hang=2)
    yield Line(
        f"weights: source {weights.source}, piece {weights.chunk}, vectors {weights.vectors}: "
        f"{weights.why}",
        hang=2,
    )
    for leg in found.switched_off:
        yield Line(f"switched off: {leg} does not help on this history", "warn", hang=2)
    sure = found.confidence
    yield Line(
        f"of {sure.questions} questions without an answer {sure.false:.0%} get a first hit that is "
        "as sure as nine of ten right ones",
        hang=2,
    )
    for note in found.notes:
        yield Line(note, "warn", hang=2)
    yield Line("the search uses these weights from now on" if kept else "nothing was changed")


def _figures(name: str, figures: Quality) -> str:
    return f"{name:<22} {figures.queries:9}  {figures.mrr:6.3f}  {figures.recall:9.3f}"
