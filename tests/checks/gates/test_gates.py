"""Every gate is one file, and judges what is recorded alone."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from custody.checks.gates import Gate, gates
from custody.checks.gates.document import DocumentGate
from custody.model.verdict import GateEffect, Verdict
from support.cases import case


def test_each_has_a_name_of_its_own_and_a_sentence() -> None:
    assert list(gates()) == sorted(gates())
    for name, kind in gates().items():
        assert kind.name == name
        assert kind.doc.endswith(".")
        assert kind.effect in get_args(GateEffect)


def test_a_module_of_the_package_is_a_gate(root: Path) -> None:
    files = (root / "src" / "custody" / "checks" / "gates").glob("[a-z]*.py")
    assert {path.stem for path in files} == {
        kind.__module__.rpartition(".")[2] for kind in gates().values()
    }


def test_files_of_a_case_are_found_by_their_names() -> None:
    made = case({"response.md": "said\xff"})
    assert made.text("response.md") == "said\xff"
    assert made.evidence("response.md") is not None
    assert (made.text("missing"), made.evidence("missing")) == ("", None)


@pytest.mark.parametrize(
    ("status", "applies"),
    [("ok", True), ("partial", True), ("failed", False), ("timeout", False), ("refused", False)],
)
def test_most_gates_need_a_request_that_was_carried_out(status: str, applies: bool) -> None:
    assert DocumentGate().applies(case(status=status)) is applies  # type: ignore[arg-type]


def test_what_is_wrong_bears_the_gates_name() -> None:
    made = DocumentGate().wrong("code", "it is wrong", "subject")
    assert made == Verdict(
        check="document", allowed=False, code="code", reason="it is wrong", subject="subject"
    )
    assert DocumentGate().reason([made]) == "it is wrong"


def test_a_gate_must_judge() -> None:
    with pytest.raises(TypeError, match="judge"):
        Gate()  # type: ignore[abstract]
