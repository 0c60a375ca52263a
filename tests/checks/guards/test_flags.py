"""The table of flags, held to the examples that each rule brings along."""

from __future__ import annotations

import shlex

import pytest

from custody.checks.guards.flags import RULES, SYNTAX, FlagRule
from custody.checks.guards.options import find_flag, refused_word

MATCHES = [(rule, text) for rule in RULES for text in rule.match]
OTHERS = [(rule, text) for rule in RULES for text in rule.not_match]


def words(text: str) -> tuple[str, ...]:
    return tuple(shlex.split(text))


@pytest.mark.req("P-07")
@pytest.mark.parametrize(("rule", "text"), MATCHES, ids=[text for _, text in MATCHES])
def test_a_rule_refuses_its_examples(rule: FlagRule, text: str) -> None:
    assert refused_word(rule, words(text))
    found = find_flag(words(text))
    assert found
    assert "{" not in found[1]


@pytest.mark.req("P-07")
@pytest.mark.parametrize(("rule", "text"), OTHERS, ids=[text for _, text in OTHERS])
def test_a_rule_leaves_other_commands_alone(rule: FlagRule, text: str) -> None:
    assert not refused_word(rule, words(text))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.program} {rule.flags}")
def test_every_rule_has_examples_of_both_kinds(rule: FlagRule) -> None:
    assert rule.match
    assert rule.not_match
    assert rule.flags or rule.words
    assert all(flag.startswith("-") for flag in rule.flags.split())


def test_every_syntax_is_used() -> None:
    assert SYNTAX.keys() <= {rule.program for rule in RULES}


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
