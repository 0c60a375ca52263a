"""What of the workspace an agent may see."""

from __future__ import annotations

import pytest

from custody.errors import UsageError
from custody.executors.programs.read_scope import ReadScope, read_scope
from custody.executors.settings import Settings
from custody.model.holdouts import SCENARIOS


def scope(blocked: str = "", **node: str) -> ReadScope:
    return read_scope(
        Settings("a", {f"a.{key}": value for key, value in node.items()}, {}), blocked
    )


def test_scenarios_are_hidden_unless_they_are_shown() -> None:
    assert scope() == ReadScope((SCENARIOS,))
    assert scope(allow_read_scenarios="true") == ReadScope(())


def test_more_is_hidden_by_the_setting_and_by_who_calls() -> None:
    assert scope("c", block_read_paths="a/, b").hidden == (SCENARIOS, "a", "b", "c")


def test_a_strict_scope_shows_its_own_folders() -> None:
    made = scope(strict_read_scope="true", workdir="src", add_dirs="docs")
    assert (made.hidden, made.scope) == ((SCENARIOS,), ("src", "docs"))
    assert scope(strict_read_scope="true").scope == ("",)


def test_a_path_that_leads_outside_is_told() -> None:
    for wrong in ({"block_read_paths": "../x"}, {"strict_read_scope": "1", "workdir": "/x"}):
        with pytest.raises(UsageError):
            scope(**wrong)
    with pytest.raises(UsageError):
        scope("../x")


def test_secrets_are_shown_by_name_only() -> None:
    assert scope().shown_secrets == ()
    assert scope(allow_read_secrets=".env.test, certs").shown_secrets == (".env.test", "certs")
