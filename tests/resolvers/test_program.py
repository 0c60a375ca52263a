"""Programs are run within bounds, and end with what they have started."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.errors import ResolveFailed
from custody.resolvers.program import run
from support.processes import wait_until_gone


def failed(*command: str, seconds: float = 60.0, limit: int = 1000) -> ResolveFailed:
    with pytest.raises(ResolveFailed) as raised:
        run(command, os.environ, {}, where="there", seconds=seconds, limit=limit)
    assert raised.value.where == "there"
    return raised.value


def test_what_it_says_is_told() -> None:
    said = run(("sh", "-c", "printf '\\377'; echo no >&2; exit 3"), os.environ, {}, where="there")
    assert said == (3, b"\xff", "no")


def test_it_gets_no_variable_that_leads_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("LD_PRELOAD_X", "y")
    said = run(("env",), os.environ, {"MORE": "1"}, where="there")
    names = {line.partition(b"=")[0] for line in said.out.splitlines()}
    assert {b"PATH", b"MORE", b"LC_ALL"} <= names
    assert not {b"GIT_DIR", b"LD_PRELOAD_X"} & names


def test_a_missing_program_is_told() -> None:
    wrong = failed("no-such-program")
    assert (wrong.code, wrong.hint) == ("unreachable", "install no-such-program")


def test_what_is_too_much_is_cut_off() -> None:
    assert failed("sh", "-c", "while :; do echo x; done").code == "too_large"
    many = "for n in 1 2 3 4 5 6 7 8; do printf '%4000s' x >&2; done"
    said = run(("sh", "-c", many), os.environ, {}, where="there", limit=0)
    assert len(said.error) <= 8192


@pytest.mark.parametrize("way", ["exec sleep 600", "sleep 600 & wait", "exec >&- 2>&-; sleep 600"])
def test_what_takes_too_long_is_ended(tmp_path: Path, way: str) -> None:
    told = tmp_path / "pid"
    assert failed("sh", "-c", f"echo $$ > {told}; {way}", seconds=2.0).code == "unreachable"
    wait_until_gone(of_group(int(told.read_text())))


def of_group(group: int) -> list[int]:
    pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    return [pid for pid in pids if _group(pid) == group]


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0
