"""When a module or a function grows past these, it has two subjects."""

from __future__ import annotations

import codebase

MODULE_LINES = 400
FUNCTION_LINES = 60


def test_modules_are_small() -> None:
    large = [
        f"{module.where}: {lines} lines"
        for module in everything()
        if (lines := module.text.count("\n")) > MODULE_LINES
    ]
    assert not large, "\n".join(large)


def test_functions_are_small() -> None:
    large = [
        f"{module.where}:{function.lineno} {function.name}: {lines} lines"
        for module in everything()
        for function in module.functions()
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_LINES
    ]
    assert not large, "\n".join(large)


def test_no_module_is_a_drawer() -> None:
    drawers = {"util", "utils", "helper", "helpers", "common", "manager", "misc"}
    wrong = [m.where for m in codebase.modules() if drawers & set(m.name.split("."))]
    assert not wrong


def everything() -> list[codebase.Module]:
    tops = ("src", "scripts", "tests", "benchmarks")
    return [module for top in tops for module in codebase.modules(codebase.ROOT / top)]
