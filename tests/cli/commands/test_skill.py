"""The arguments of `custody skill`, which hand on to a module each."""

from __future__ import annotations

from importlib import import_module

import pytest

from custody.cli.commands import skill
from support.shell import Here


@pytest.mark.parametrize("action", skill.ACTIONS)
def test_each_action_has_a_module(action: str) -> None:
    assert callable(import_module(f"custody.cli.skill.{action}").execute)


def test_an_option_of_another_action_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    here = Here(tmp_path_factory.mktemp("here"))
    done = here("skill", "check", "count", "--timeout", "5")
    assert done.code == 1
    assert "check takes no --timeout" in done.err
