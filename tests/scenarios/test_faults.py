"""A broken product is told from broken surroundings."""

from __future__ import annotations

import pytest

from custody.scenarios.faults import infrastructure_fault


@pytest.mark.req("P-17")
@pytest.mark.parametrize(
    ("output", "fault"),
    [
        ("OPENAI_API_KEY is not set", "key missing"),
        ("error: missing API key", "key missing"),
        ("no credentials found", "key missing"),
        ("HTTP 401", "401"),
        ("HTTP/1.1 403 Forbidden", "403"),
        ("curl: (22) The requested URL returned error: 404", "404"),
        ("status_code=429", "rate limit"),
        ("You exceeded your current quota", "quota"),
        ("Rate limit reached for requests", "rate limit"),
        ("curl: (6) Could not resolve host: example.com", "connection"),
        ("dial tcp 127.0.0.1:1: connect: connection refused", "connection"),
        ("Error: connect ECONNREFUSED 127.0.0.1:80", "connection"),
        ("Operation timed out after 30 s", "time-out"),
        ("context deadline exceeded", "time-out"),
        ("expected 3 rows, got 2", ""),
        ("assert 404 == 200", ""),
        ("AssertionError: total is 401", ""),
        ("line 403: syntax error", ""),
        ("Segmentation fault", ""),
        ("", ""),
    ],
)
def test_what_an_output_complains_of(output: str, fault: str) -> None:
    assert infrastructure_fault(f"first line\n{output}\nlast line") == fault
