"""What a tool claims, and what its log says of it."""

from __future__ import annotations

import json

import pytest

from custody.skills.claims import Patterns, Told, judged, last_error

ID = "j_0002_run"
NONE = Patterns((), ())


def claim(**changed: object) -> bytes:
    said = {"request_id": ID, "job_id": "j", "status": "PASS", "token": 1}
    return json.dumps({**said, **changed}).encode()


def log(text: str = "") -> bytes:
    return f"before\n@@custody begin {ID}\n{text}@@custody end {ID}\n".encode()


def judge(ack: bytes, *streams: bytes, patterns: Patterns = NONE, restores: bool = False) -> Told:
    return judged(ID, ack, streams or (log(), log()), patterns, restores=restores)


def test_a_claim_with_a_whole_log_holds() -> None:
    assert judge(claim()) == Told()


@pytest.mark.parametrize("ack", [b"", b"{}", b"[]", b'{"a":1,"a":2}', claim(status="GOOD")])
def test_an_ack_that_cannot_be_read_is_forged(ack: bytes) -> None:
    told = judge(ack)
    assert (told.code, told.error_type) == ("forged", "CMD_FAIL")
    assert told.message.startswith("security violation: the ack cannot be read")


def test_so_is_one_of_another_request() -> None:
    assert judge(claim(request_id="j_0001_restore")).code == "forged"


def test_a_failure_is_told_in_the_words_of_the_tool() -> None:
    failed = claim(status="FAIL", message="no such net")
    assert judge(failed) == Told("failed", "CMD_FAIL", "no such net")
    assert judge(failed, restores=True) == Told("failed", "RESTORE_FAIL", "no such net")
    silent = judge(claim(status="FAIL"))
    assert silent.message == "the script has failed and says nothing"


@pytest.mark.req("S-09")
def test_a_refusal_is_a_failed_command_while_a_design_is_restored_too() -> None:
    refused = claim(status="FAIL", message="security violation: traversal")
    assert judge(refused, restores=True).error_type == "CMD_FAIL"


@pytest.mark.parametrize(
    "streams",
    [
        (b"", b""),
        (log(), b""),
        (f"@@custody begin {ID}\n".encode(), log()),
        (log().replace(b"@@custody end", b"x @@custody end"), log()),
    ],
)
def test_a_log_that_is_not_whole_proves_nothing(streams: tuple[bytes, ...]) -> None:
    assert judge(claim(), *streams).code == "log"


def test_a_line_that_says_error_is_one_on_either_stream() -> None:
    patterns = Patterns(("^Error",), ("0 found",))
    bad = log("fine\nError: no cell\n")
    for streams in ((bad, log()), (log(), bad)):
        told = judge(claim(), *streams, patterns=patterns)
        assert told == Told("pattern", "CMD_FAIL", "the log says: Error: no cell")
    assert judge(claim(), log("Error: 0 found\n"), log(), patterns=patterns) == Told()


def test_a_stream_without_marks_counts_for_every_request() -> None:
    patterns = Patterns(("^Error:",), ())
    for said, code in ((b"", ""), (b"Error: no such cell\n", "pattern")):
        told = judged(ID, claim(), (log(), said), patterns, restores=False, marked=1)
        assert told.code == code
    assert judged(ID, claim(), (b"", b""), NONE, restores=False, marked=1).code == "log"


def test_a_tool_that_has_ended_said_why_last() -> None:
    patterns = Patterns(("^ERROR",), ("0 found",))
    said = log("ERROR: first\nERROR: no file\nERROR: 0 found\nbye\n")
    assert last_error((said, log()), patterns) == "ERROR: no file"
    assert last_error((log(), log("ERROR: by stderr\n")), patterns) == "ERROR: by stderr"
    assert last_error((log("fine\n"), b""), patterns) == ""


def test_an_error_that_nobody_has_caught_is_one_whatever_the_patterns() -> None:
    late = log("@@custody an error in an event: no such net\n    while executing\n")
    told = judge(claim(), log(), late)
    assert told.message == "the log says: @@custody an error in an event: no such net"
    assert last_error((log(), late), NONE) == "@@custody an error in an event: no such net"


def test_a_line_of_blanks_can_be_one_that_says_error() -> None:
    assert judge(claim(), log("   \n"), log(), patterns=Patterns((" ",), ())).code == "pattern"
