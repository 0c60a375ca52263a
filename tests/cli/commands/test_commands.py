"""The commands are the modules of one folder."""

from __future__ import annotations

import importlib
from inspect import getdoc
from pathlib import Path

import pytest

from custody.cli.commands import _ORDER, commands, names


def test_every_module_is_a_command(root: Path) -> None:
    folder = root / "src" / "custody" / "cli" / "commands"
    assert set(names()) == {path.stem for path in folder.glob("[a-z]*.py")}
    assert tuple(commands()) == names()


def test_help_has_them_in_the_order_of_need() -> None:
    assert names()[:3] == ("init", "check", "plan")
    assert [name for name in _ORDER if name not in names()] == []
    assert [name for name in names() if name not in _ORDER] == []


@pytest.mark.parametrize("name", names())
def test_a_module_has_what_a_command_needs(name: str) -> None:
    module = importlib.import_module(f"custody.cli.commands.{name}")
    first = (getdoc(module) or "").splitlines()[0]
    assert commands()[name] == first[0].lower() + first[1:].rstrip(".")
    assert module.ABOUT
    assert all(f"custody {name}" in line for line in module.EXAMPLES)
    assert module.EXAMPLES
    assert callable(module.arguments)
    assert callable(module.execute)
