"""A terminal for each of the sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody import api
from custody.model.confinement import LEVELS
from support.transcript import SIZES, Transcript


@pytest.fixture(params=SIZES, ids=[f"{columns} columns" for columns in SIZES])
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Transcript:
    """Return a terminal whose screens are compared with those of the test's file."""
    return Transcript(Path(request.path).stem.removeprefix("test_"), request.param, tmp_path)


@pytest.fixture(scope="session")
def confined(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where programs cannot be confined at the best level: a report says so in a line more."""
    offer = api.doctor(str(tmp_path_factory.mktemp("runs"))).offer
    if offer.level != LEVELS[-1]:
        pytest.skip(f"the screens are those of {LEVELS[-1]}: {offer.reasons}")
