"""When a module or a function grows past these, it has two subjects."""

from __future__ import annotations

import pytest

import codebase

MODULE_LINES = {"src": 400, "scripts": 400, "benchmarks": 400, "tests": 600}
FUNCTION_LINES = 60


@pytest.mark.parametrize(("top", "limit"), MODULE_LINES.items())
def test_modules_are_small(top: str, limit: int) -> None:
    large = [
        f"{module.where}: {lines} lines"
        for module in codebase.modules(codebase.ROOT / top)
        if (lines := module.text.count("\n")) > limit
    ]
    assert not large, "\n".join(large)


@pytest.mark.parametrize("top", MODULE_LINES)
def test_functions_are_small(top: str) -> None:
    large = [
        f"{module.where}:{function.lineno} {function.name}: {lines} lines"
        for module in codebase.modules(codebase.ROOT / top)
        for function in module.functions()
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_LINES
    ]
    assert not large, "\n".join(large)


def test_no_module_is_a_drawer() -> None:
    drawers = {"util", "utils", "helper", "helpers", "common", "manager", "misc"}
    wrong = [m.where for m in codebase.modules() if drawers & set(m.name.split("."))]
    assert not wrong
