"""Sizes read as they are written, and every limit has a default and a name."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.model.limits import GIB, LIMITS, StageLimits, parse_size, size_text


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("5", 5), ("64K", 65536), ("4G", 4 * GIB), ("1T", 1 << 40)]
)
def test_a_size_reads_as_it_is_written(text: str, size: int) -> None:
    assert parse_size(text) == size
    assert size_text(size) == text


@pytest.mark.parametrize("text", ["", "G", "4g", "4GB", "4 G", "-1", "1.5G", "9" * 16])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no size"):
        parse_size(text)


@given(st.integers(min_value=0, max_value=1 << 49))
def test_a_size_comes_back(size: int) -> None:
    assert parse_size(size_text(size)) == size


@pytest.mark.req("G-09")
def test_every_limit_has_a_default() -> None:
    defaults = msgspec.structs.asdict(StageLimits())
    assert tuple(defaults) == LIMITS
    assert all(value > 0 for value in defaults.values())


def test_a_limit_is_told_by_name_and_value() -> None:
    limits = StageLimits(processes=5, memory=GIB)
    assert limits.told("processes") == "processes (5)"
    assert limits.told("memory") == "memory (1G)"
    assert limits.told("files") == "files (500000)"
