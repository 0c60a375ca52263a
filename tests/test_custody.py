"""The public names are loaded when they are first asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import custody


def public_names() -> list[str]:
    return list(custody.__all__)


def test_every_public_name_is_there() -> None:
    names = public_names()
    assert names == sorted(names), "keep __all__ in order"
    assert [name for name in names if not hasattr(custody, name)] == []


def test_start_up_loads_nothing_heavy() -> None:
    """What only some commands need is loaded by them."""
    heavy = {"asyncio", "difflib", "http", "lark", "multiprocessing", "rich", "shtab", "ssl"}
    code = "import sys, custody.cli; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert heavy & set(done.stdout.split()) == set()


def test_importing_the_package_costs_nothing() -> None:
    code = "import sys, custody; print([n for n in sys.modules if n.startswith('custody.')])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", custody.__all__)
def test_a_name_is_the_one_that_the_package_itself_uses(name: str) -> None:
    home = custody._HOMES.get(name, "custody.api")
    assert getattr(custody, name) is getattr(sys.modules[home], name)


def test_nothing_else_is_public() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(custody, "nothing")  # noqa: B009 - a type checker knows that it is not there
