"""A finding as one line, and its hint on another."""

from __future__ import annotations

import pytest

from custody.model.finding import Finding


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, "p.dot:3:4 syntax it is wrong"),
        ({"severity": "warning"}, "p.dot:3:4 syntax warning: it is wrong"),
        ({"hint": "do so"}, "p.dot:3:4 syntax it is wrong\n  hint: do so"),
        ({"file": "part.dot"}, "part.dot:3:4 syntax it is wrong"),
        ({"line": 0, "column": 0}, "p.dot:0:0 syntax it is wrong"),
    ],
)
def test_rendering(more: dict[str, object], text: str) -> None:
    settings = {"code": "syntax", "message": "it is wrong", "line": 3, "column": 4, **more}
    assert Finding(**settings).render("p.dot") == text  # type: ignore[arg-type]


def test_what_is_about_no_file_has_no_place() -> None:
    finding = Finding(code="missing", message="program x", line=0, column=0, hint="install it")
    assert finding.render("") == "missing program x\n  hint: install it"
