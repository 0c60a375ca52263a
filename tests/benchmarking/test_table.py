"""The table says what was measured, and says it when a bar is not reached."""

from __future__ import annotations

import pytest

from benchmarks.table import (
    Figure,
    Row,
    Section,
    failures,
    markdown,
    plain,
    replace_between_markers,
)

PEER = Figure(2.0, "ms", "peer", "2.0 syncs")


def row(value: float | None, bar: float | None) -> Row:
    return Row("time", Figure(value, "ms", failure="no disk"), PEER, bar)


@pytest.mark.parametrize(
    ("value", "bar", "reached"),
    [(3.0, 1.5, "yes"), (3.1, 1.5, "NO"), (None, 1.5, "NO"), (3.0, None, "-")],
)
def test_a_bar_is_reached_only_by_a_figure_under_it(
    value: float | None, bar: float | None, reached: str
) -> None:
    assert row(value, bar).reached == reached


def test_a_missing_figure_is_said_with_its_reason() -> None:
    rows = [row(None, 1.5), row(None, None)]
    assert failures(rows) == ["custody: no disk"]
    assert "not measured" in plain(rows)


def test_both_forms_hold_every_cell() -> None:
    one = row(1.0, 1.5)
    assert one.cells() == ("time", "1.00 ms", "peer: 2.00 ms, 2.0 syncs", "0.50", "≤ 1.50", "yes")
    assert all(cell in plain([one]) and cell in markdown([one]) for cell in one.cells())


def test_a_section_has_columns_of_its_own() -> None:
    section = Section("own", ("what", "n"), (("files", "10"), ("all", "2")), ("So it is.",))
    assert section.plain() == "what   n\nfiles  10\nall    2\nSo it is.\n"
    assert section.markdown().splitlines() == [
        "| what | n |", "| --- | --- |", "| files | 10 |", "| all | 2 |", "", "So it is.",
    ]  # fmt: skip


def test_a_page_keeps_what_stands_around_the_markers() -> None:
    page = "before\n<!-- {0}:begin -->\n{1}<!-- {0}:end -->\nafter\n"
    for name in ("benchmark", "own"):
        written = replace_between_markers(page.format(name, "old\n"), "new\n", name)
        assert written == page.format(name, "\nnew\n\n")


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="benchmark:begin"):
        replace_between_markers("no markers", "new")
