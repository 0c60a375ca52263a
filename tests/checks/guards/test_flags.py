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
@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "ksh", "zsh"])
def test_no_shell_is_given_code(shell: str) -> None:
    assert find_flag((shell, "-c", "id"))


@pytest.mark.req("P-07")
@pytest.mark.parametrize(
    "wrapper",
    ["env", "nice", "nohup", "npx", "setsid", "stdbuf", "sudo", "time", "timeout", "xargs"],
)
def test_what_starts_another_program_is_told_which_by_the_allowlist_alone(wrapper: str) -> None:
    assert find_flag((wrapper, "x"))
