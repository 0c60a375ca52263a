"""Moments are written in one form."""

from __future__ import annotations

import re

from custody.logbook.clock import utc_now


def test_a_moment_is_utc_to_the_second() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", utc_now())
