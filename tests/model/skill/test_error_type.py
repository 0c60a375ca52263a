"""The twelve words for what came of a job."""

from __future__ import annotations

import pytest

from custody.model.skill.error_type import ERROR_TYPES, of_session, read, told

pytestmark = pytest.mark.req("S-15")


def test_there_are_twelve() -> None:
    assert len(ERROR_TYPES) == len(set(ERROR_TYPES)) == 12
    assert ERROR_TYPES[0] == "OK"


def test_a_reason_is_read_as_it_was_told() -> None:
    for error in ERROR_TYPES[1:]:
        assert read(told(error, "it: failed")) == (error, "it: failed")


@pytest.mark.parametrize("reason", ["it broke", "OK: fine", "LOCATOR_FAILED: no", ""])
def test_any_other_reason_is_a_fault_of_custody(reason: str) -> None:
    assert read(reason) == ("INTERNAL_ERROR", reason)


@pytest.mark.parametrize(
    ("reason", "error"),
    [
        ("session_start_failed: exit code 1", "SESSION_START_FAIL"),
        ("session_dead: signal 9", "INNOVUS_CRASH"),
        ("session_lost", "HEARTBEAT_LOST"),
        ("session_hung: stopped", "HEARTBEAT_LOST"),
        ("session_hung: silent", "HEARTBEAT_LOST"),
        ("session_hung: unclaimed", "QUEUE_TIMEOUT"),
        ("timeout", "QUEUE_TIMEOUT"),
        ("timeout: unclaimed", "QUEUE_TIMEOUT"),
        ("timeout: stopped", "HEARTBEAT_LOST"),
        ("session_stopped", "INTERNAL_ERROR"),
    ],
)
def test_what_a_session_has_means_the_same_each_time(reason: str, error: str) -> None:
    assert of_session(reason) == error
