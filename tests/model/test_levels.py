from __future__ import annotations

from custody.model.confinement import LEVELS
from custody.model.levels import MEANINGS


def test_every_level_has_its_meaning() -> None:
    assert tuple(reversed(MEANINGS)) == LEVELS
