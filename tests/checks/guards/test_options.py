"""The words of a command that a rule refuses, however they are spelt."""

from __future__ import annotations

import shlex

import pytest

from custody.checks.guards.flags import RULES
from custody.checks.guards.options import find_flag, refused_word


def words(text: str) -> tuple[str, ...]:
    return tuple(shlex.split(text))


@pytest.mark.req("P-07")
@pytest.mark.parametrize(
    "text",
    [
        "go test ./... -run TestA -count=1 -race -v",
        "go build ./cmd/app",
        "pytest -q -x -k 'not slow' tests/test_a.py::test_b[1]",
        "pytest --maxfail=1 --tb=short -rA -n 4",
        "python -m pytest -vv --lf",
        "make test -j4 -k",
        "git log --oneline -n 5 -p -- src",
        "npm test -- --ci",
        "npm run lint",
        "cargo test --workspace --all-features",
        "node --test tests/a.js",
        "find . -name x -print",
        "ruff check src",
        "mypy --strict src",
        "ls -la",
        "grep -rn TODO src",
        "unknown -p -c -o -f",
    ],
)
def test_everyday_commands_hold_no_refused_flag(text: str) -> None:
    assert find_flag(words(text)) is None


def test_trusted_words_are_not_questioned() -> None:
    argv = words("make -f ci.mk test -f other.mk")
    assert find_flag(argv, trusted=4) == ("-f", "makes make work by another configuration")
    assert find_flag(argv, trusted=6) is None


def test_inline_code_does_not_pass_for_a_module() -> None:
    assert find_flag(("python", "-cimport x; m", "pytest"))
    assert find_flag(("python", "-c-m", "pytest"))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("pytest -p evil", "-p"),
        ("pytest -pevil", "-pevil"),
        ("pytest -qp evil", "-qp"),
        ("pytest --rootdir=/x", "--rootdir=/x"),
        ("pytest -- -p evil", "-p"),
        ("gmake --eval=x", "--eval=x"),
        ("make --eva=x", "--eva=x"),
        ("npm test --script-sh x", "--script-sh"),
        ("/usr/bin/make -f x", "-f"),
        ("python3.12 -m pytest -p evil", "-p"),
        ("python -mpytest -p evil", "-p"),
        ("python -c code", "-c"),
        ("go test -exec x", "-exec"),
        ("go test --exec=x", "--exec=x"),
    ],
)
def test_every_spelling_of_a_flag_is_found(text: str, word: str) -> None:
    found = find_flag(words(text))
    assert found is not None
    assert found[0] == word
    assert found[1]


def test_a_program_behind_a_trusted_one_has_its_own_rules() -> None:
    argv = words("timeout 60 pytest -p evil")
    refused = [found[0] for trusted in (1, 3, 4) if (found := find_flag(argv, trusted))]
    assert refused == ["60", "-p"], "an entry that spells the flag itself admits it"


def test_the_value_of_an_option_is_no_option() -> None:
    rule = next(rule for rule in RULES if rule.program == "python")
    assert refused_word(rule, words("python -W error script.py -c x")) == ""
    assert refused_word(rule, words("python -W error -c x")) == "-c"
    assert refused_word(rule, words("ruby -c x")) == ""
