"""Packets from the command line: what is said, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.model import layout
from support.bench import Bench
from support.shell import Done, Here

WORK = "a [type=tool, tool_command=\"sh -c 'echo made > made.txt'\"]\nstart -> a -> done"


@pytest.fixture
def home(bench: Bench) -> Path:
    assert bench.run(WORK).summary.status == "PASS"
    return bench.home


def asked(home: Path, *words: str) -> Done:
    return Here(home)("evidence", *words, "--runsdir", "runs")


@pytest.mark.req("E-04")
def test_an_option_that_an_action_does_not_take_is_refused(home: Path) -> None:
    done = asked(home, "verify", "r1", "--key", "x")
    assert (done.code, done.err) == (1, "error: verify takes no --key\n")
    done = asked(home, "sign", "r1", "--key", "x")
    assert (done.code, done.err) == (1, "error: sign needs --output\n")
    assert asked(home, "prove", "r1").code == 1


def test_the_whole_way_of_a_packet(home: Path) -> None:
    assert asked(home, "verify", "r1").out.startswith("found verbatim  ")
    assert asked(home, "key", "mine").code == 0
    signed = asked(home, "sign", "r1", "--key", "mine", "--output", "r1.dsse.json")
    assert (signed.code, signed.err) == (0, "")
    shown = asked(home, "verify-signature", "r1.dsse.json", "--key", "mine.pub", "--json").data
    assert shown["packet"]["run_id"] == "r1"
    custody = Here(home)
    options = ("--runsdir", "runs", "--signed", "r1.dsse.json")
    known = custody("verify", "r1", *options, "--key", "mine.pub")
    assert (known.code, "not checked" in known.out) == (0, False)
    unknown = custody("verify", "r1", *options)
    assert (unknown.code, "who signed it was not checked" in unknown.out) == (0, True)
    assert custody("verify", "r1", *options, "--head", "0" * 64).code == 1
    assert custody("verify", "r1", "--runsdir", "runs", "--key", "mine.pub").code == 1
    (home / "runs" / "r1" / layout.SUMMARY_PAGE).write_text("all is well")
    assert custody("verify", "r1", *options, "--key", "mine.pub").code == 1
