"""Contracts that harm who reads them, or that promise less than they seem to."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from support.hostile import Case, cases, custody

REPEATED = re.compile(r"'([^']+)'\s*\*\s*(\d+)\b")
MEGABYTES = re.compile(r'(\d+) MB of ("(?:[^"\\]|\\.)*")')
LONGEST = 10
"""Seconds, on a machine that does much else."""


@pytest.mark.req("S-12")
@pytest.mark.parametrize("case", cases("contract"), ids=str)
def test_contract(case: Case, tmp_path: Path) -> None:
    skill = tmp_path / "skill"
    skill.mkdir()
    (skill / "contract.yaml").write_bytes(content(case.input))
    began = time.monotonic()
    done = custody("skill", "check", str(skill), "--json")
    assert time.monotonic() - began < LONGEST
    (told,) = done.data["skills"]
    errors = [found for found in told["findings"] if found["severity"] == "error"]
    if case.kind == "accept":
        # The inputs are parts of contracts: whatever else a whole one needs is missing.
        assert {found["code"] for found in errors} <= {"missing", "name"}
        return
    assert (done.code, done.data["error_type"]) == (1, "CONTRACT_INVALID")
    assert case.code in {done.data["error_type"], *(found["code"] for found in errors)}
    assert [found for found in errors if found["line"] > 0 or found["code"] in WHOLE] == errors


WHOLE = {"too_large", "missing", "syntax"}
"""Codes that may be about the file as a whole."""


def content(given: Any) -> bytes:
    """Return the contract of a case."""
    if isinstance(given, str):
        return given.encode("utf-8", "surrogatepass")
    told = given["gen"]
    if found := REPEATED.match(told):
        return (found[1] * int(found[2])).encode()
    found = MEGABYTES.match(told)
    assert found, f"nothing here knows how to make {told!r}"
    line = json.loads(found[2]).encode()
    return bytes(line * (int(found[1]) * 10**6 // len(line)))
