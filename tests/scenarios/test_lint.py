"""What is wrong with a scenario script is found before it is relied on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.scenarios.lint import lint

GOOD = """#!/usr/bin/env bash
# curl and /etc/passwd may be spoken of
set -euo pipefail
case "${SCENARIO_MODE:-selftest}" in
selftest)
    printf 'ok' > "$TMPDIR/answer" 2>/dev/null
    grep -q ok "$TMPDIR/answer"
    ;;
live)
    curl --fail "https://example.com/health"
    ;;
esac
"""


def codes(source: str, *, executable: bool = True) -> list[str]:
    return [finding.code for finding in lint(source, executable=executable)]


def test_a_good_script_has_no_finding() -> None:
    assert codes(GOOD) == []


@pytest.mark.req("P-17")
@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("#!/usr/bin/env bash", "# no shell", "shebang"),
        ("#!/usr/bin/env bash", "#!/usr/bin/python3", "shebang"),
        ("set -euo pipefail", "set -x", "strict"),
        ("set -euo pipefail", "set -e", "strict"),
        ("set -euo pipefail", "# set -eu", "strict"),
        ("live)", "other)", "modes"),
        ("printf 'ok'", "cat /home/me/ok", "absolute"),
        ("printf 'ok'", 'cat "/opt/ok"', "absolute"),
        ("printf 'ok'", "curl localhost", "network"),
        ("printf 'ok'", "echo x | nc localhost 1", "network"),
    ],
)
def test_each_rule(old: str, new: str, code: str) -> None:
    assert codes(GOOD.replace(old, new)) == [code]


def test_a_script_that_cannot_be_started() -> None:
    assert codes(GOOD, executable=False) == ["executable"]


def test_modes_in_a_comment_do_not_count() -> None:
    script = "#!/bin/sh\nset -eu\n# SCENARIO_MODE selftest live\n"
    assert codes(script) == ["modes", "modes"]


def test_a_finding_has_its_place() -> None:
    (finding,) = lint(GOOD.replace("printf 'ok'", "wget x"), executable=True)
    assert (finding.line, finding.column) == (6, 5)


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    lint(text, executable=True)
