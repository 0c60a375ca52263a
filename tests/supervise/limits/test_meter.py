"""A meter that says nothing more has nothing to say at the end."""

from __future__ import annotations

import pytest

from custody.supervise.limits.meter import Meter


class Idle(Meter):
    """Looks at nothing."""

    def exceeded(self) -> None:
        return None


def test_what_is_looked_at_must_be_said() -> None:
    with pytest.raises(TypeError, match="exceeded"):
        Meter()  # type: ignore[abstract]


def test_there_is_nothing_more_to_say_at_the_end() -> None:
    meter = Idle()
    assert meter.at_the_end() is None
    meter.close()
