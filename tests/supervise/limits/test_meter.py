"""A meter that says nothing more has nothing to say at the end."""

from __future__ import annotations

import pytest

from custody.supervise.limits.meter import Meter


def test_what_is_looked_at_must_be_said() -> None:
    meter = Meter()
    with pytest.raises(NotImplementedError):
        meter.exceeded()
    assert meter.at_the_end() is None
    meter.close()
