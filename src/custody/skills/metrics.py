"""Figures of runs beside each other: metrics of skills, else time, tokens and cost by stage.

A metric has the rule that the contract of its job gives it, the first run's where several have one:
so a contract that was changed on the way cannot turn a loss into a gain. What gets worse by more
than its threshold is a regression. A metric that has a direction may get no worse at all where no
threshold says otherwise; time, tokens and cost vary from run to run, and so are judged only where
there is one.
"""

from __future__ import annotations

import math
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeGuard

import msgspec

from custody.errors import MalformedDocument, PathRefused, RunError, UsageError
from custody.model import layout
from custody.model.record import ready
from custody.model.skill.metric import MetricRule, MetricValue, is_finite
from custody.patterns import later
from custody.skills.contract import read_contract
from custody.skills.yaml_nodes import SIZE_LIMIT
from custody.store.root import Root

Verdict = Literal["same", "better", "worse", "changed", "missing", "new"]
STATUS = "status"

_THRESHOLD = later(r"([0-9]+(?:\.[0-9]+)?)(%?)")
_LIMIT = 64 << 20
_LOWER = MetricRule(direction="lower")


class Figures(NamedTuple):
    """What one run came to."""

    run: str
    status: str
    error_type: str = ""
    skill: str = ""
    """Its name and version; empty for a run that is no job."""
    metrics: Mapping[str, MetricValue] = {}
    costs: Mapping[str, float] = {}
    """Time, tokens and cost: of the run, and of each stage as ``<stage>.<name>``."""
    rules: Mapping[str, MetricRule] = {}


class Threshold(NamedTuple):
    """How much worse a figure may get."""

    amount: float
    relative: bool
    """Whether it is a share of the first run's value."""

    def allowed(self, before: float) -> float:
        """Return how much that is where the figure was ``before``."""
        return self.amount * abs(before) if self.relative else self.amount


class Compared(NamedTuple):
    """One figure in one run, beside the first one's."""

    value: MetricValue | None
    change: float | None
    """How much it grew; None where one of the two is no number."""
    verdict: Verdict
    regression: bool


class ComparedFigure(NamedTuple):
    """One figure in all runs."""

    name: str
    rule: MetricRule
    before: MetricValue | None
    after: tuple[Compared, ...]
    """In the runs after the first."""


class _Usage(msgspec.Struct):
    tokens: int | None = None
    cost_usd: float | None = None


class _Stage(msgspec.Struct):
    node: str
    seconds: float = 0.0
    usage: _Usage | None = None


class _Skill(msgspec.Struct):
    name: str = ""
    version: str = ""


class _Summary(msgspec.Struct):
    """What is read of ``summary.json``, whatever else it holds."""

    status: str
    run_id: str = ""
    job_id: str = ""
    error_type: str = ""
    skill: _Skill | None = None
    metrics: dict[str, int | float | str] = {}
    stages: list[_Stage] = []
    active_seconds: float = 0.0
    usage: _Usage | None = None


def read_figures(path: str) -> Figures:
    """Return what the summary of a run says; raises `RunError` where there is none to read."""
    with Root.open(path) as run:
        try:
            data = run.read(layout.SUMMARY, limit=_LIMIT)
        except PathRefused as refused:
            what = f"there is no {layout.SUMMARY}: {refused.what}"
            raise RunError(what, where=path, hint="has the run ended?") from None
        rules = _rules(run)
    try:
        summary = msgspec.json.decode(data, type=ready(_Summary))
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise MalformedDocument("type", str(error), where=f"{path}/{layout.SUMMARY}") from None
    skill = summary.skill
    return Figures(
        run=summary.job_id or summary.run_id or posixpath.basename(path),
        status=summary.status,
        error_type=summary.error_type,
        skill=f"{skill.name} {skill.version}".strip() if skill else "",
        metrics=summary.metrics,
        costs=dict(_costs(summary)),
        rules=rules,
    )


def _rules(run: Root) -> Mapping[str, MetricRule]:
    """Return what the contract of a job says of its metrics; nothing for any other run."""
    if not run.exists(layout.JOB_CONTRACT):
        return {}
    contract, _ = read_contract(run.read(layout.JOB_CONTRACT, limit=64 * SIZE_LIMIT))
    return contract.metrics if contract else {}


def _costs(summary: _Summary) -> Iterator[tuple[str, float]]:
    yield "seconds", summary.active_seconds
    yield from _spent("", summary.usage)
    stages: dict[str, list[_Stage]] = {}
    for stage in summary.stages:
        stages.setdefault(stage.node, []).append(stage)
    for node, visits in stages.items():
        yield f"{node}.seconds", round(sum(stage.seconds for stage in visits), 6)
        told = [stage.usage for stage in visits if stage.usage is not None]
        tokens = [usage.tokens for usage in told if usage.tokens is not None]
        costs = [usage.cost_usd for usage in told if usage.cost_usd is not None]
        total = _Usage(sum(tokens) if tokens else None, sum(costs) if costs else None)
        yield from _spent(f"{node}.", total)


def _spent(prefix: str, usage: _Usage | None) -> Iterator[tuple[str, float]]:
    if usage is not None and usage.tokens is not None:
        yield f"{prefix}tokens", usage.tokens
    if usage is not None and usage.cost_usd is not None:
        yield f"{prefix}cost_usd", usage.cost_usd


def read_thresholds(words: Sequence[str]) -> dict[str, Threshold]:
    """Return what ``name=0.05`` and ``name=5%`` say; raises `UsageError`."""
    found: dict[str, Threshold] = {}
    for word in words:
        name, equals, text = word.rpartition("=")
        match = _THRESHOLD.fullmatch(text)
        if not equals or not name or match is None:
            raise UsageError(
                f"{word!r} is not a threshold", hint="--threshold wns=0.05, or --threshold area=2%"
            )
        if name in found:
            raise UsageError(f"{name!r} has two thresholds")
        amount = float(match[1])
        found[name] = Threshold(amount / 100 if match[2] else amount, bool(match[2]))
    return found


def compare(
    runs: Sequence[Figures], thresholds: Mapping[str, Threshold]
) -> tuple[ComparedFigure, ...]:
    """Return every figure of the first run beside those of the others.

    Raises `UsageError` for a threshold of a figure that no run has, or that has no direction.
    """
    names, costs = _names(runs)
    rules = _all_rules(runs, names) | dict.fromkeys(costs, _LOWER)
    for name in thresholds:
        if name not in rules or rules[name].direction == "none":
            what = "has no direction" if name in rules else "is no figure of these runs"
            raise UsageError(f"{name!r} {what}", hint=f"figures are {', '.join(rules)}")
    found = [_status(runs)]
    for name in names:
        allowed = thresholds.get(name, Threshold(0.0, relative=False))
        values = [run.metrics.get(name) for run in runs]
        found.append(_figure(name, rules[name], values, allowed))
    for name in costs:
        values = [run.costs.get(name) for run in runs]
        found.append(_figure(name, rules[name], values, thresholds.get(name)))
    return tuple(found)


def _names(runs: Sequence[Figures]) -> tuple[list[str], list[str]]:
    """Return the names of the metrics; where there are none, those of the other figures."""
    metrics = dict.fromkeys(name for run in runs for name in (*run.rules, *run.metrics))
    costs = dict.fromkeys(name for run in runs for name in run.costs)
    if not any(run.metrics for run in runs):
        return [], list(costs)
    return list(metrics), [name for name in costs if "." not in name]


def _all_rules(runs: Sequence[Figures], names: Sequence[str]) -> dict[str, MetricRule]:
    found: dict[str, MetricRule] = {}
    for name in names:
        rules = (run.rules[name] for run in runs if name in run.rules)
        found[name] = next(rules, MetricRule())
    return found


def _status(runs: Sequence[Figures]) -> ComparedFigure:
    before, *others = (run.status for run in runs)
    after = []
    for status in others:
        verdict: Verdict = "same" if status == before else "changed"
        if verdict == "changed" and "PASS" in {status, before}:
            verdict = "better" if status == "PASS" else "worse"
        after.append(Compared(status, None, verdict, verdict == "worse"))
    return ComparedFigure(STATUS, MetricRule(), before, tuple(after))


def _figure(
    name: str,
    rule: MetricRule,
    values: Sequence[MetricValue | None],
    threshold: Threshold | None,
) -> ComparedFigure:
    before, *others = values
    after = tuple(_compared(rule, before, value, threshold) for value in others)
    return ComparedFigure(name, rule, before, after)


def _compared(
    rule: MetricRule,
    before: MetricValue | None,
    after: MetricValue | None,
    threshold: Threshold | None,
) -> Compared:
    judged = rule.direction != "none" and threshold is not None
    if before is None or after is None:
        verdict: Verdict = "same" if before is after else "missing" if after is None else "new"
        return Compared(after, None, verdict, judged and verdict == "missing")
    if not _is_number(before) or not _is_number(after):
        lost = judged and _is_number(before) and not _is_number(after)
        return Compared(after, None, "same" if before == after else "changed", lost)
    change = after - before
    if change == 0 or rule.direction == "none":
        return Compared(after, change, "same" if change == 0 else "changed", regression=False)
    worse = change if rule.direction == "lower" else -change
    if worse < 0:
        return Compared(after, change, "better", regression=False)
    beyond = threshold is not None and worse > threshold.allowed(before) + _noise(before, after)
    return Compared(after, change, "worse", regression=beyond)


def _is_number(value: MetricValue) -> TypeGuard[float]:
    return not isinstance(value, str) and is_finite(value)


def _noise(before: float, after: float) -> float:
    """Return what two such numbers may differ by although they mean the same."""
    return 4 * math.ulp(max(abs(before), abs(after)))
