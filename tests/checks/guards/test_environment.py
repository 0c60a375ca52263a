"""Variables that a command may be given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.checks.guards.environment import ALLOWED, admit_value, assigned_name
from custody.errors import CommandRefused

DANGEROUS = (
    "PATH LD_PRELOAD LD_LIBRARY_PATH BASH_ENV ENV IFS SHELL GOFLAGS GOPROXY GOTOOLCHAIN GOENV CC "
    "PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTEST_ADDOPTS PYTEST_PLUGINS MAKEFLAGS MAKEFILES "
    "NODE_OPTIONS NODE_PATH GIT_SSH_COMMAND GIT_PAGER GIT_CONFIG_COUNT PAGER EDITOR HOME "
    "RUSTC_WRAPPER RUSTFLAGS CARGO_HOME PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS"
)


@pytest.mark.req("P-08")
@pytest.mark.parametrize("name", DANGEROUS.split())
def test_what_chooses_programs_or_their_options_may_not_be_set(name: str) -> None:
    assert name not in ALLOWED
    with pytest.raises(CommandRefused) as refused:
        admit_value(name, "x", literal=False)
    assert refused.value.code == "env"


@pytest.mark.req("P-08")
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", ""),
        ("1", "1"),
        ("C.UTF-8", "C.UTF-8"),
        ("Europe/Berlin", "Europe/Berlin"),
        ("$PWD", "$PWD"),
        ("$PWD/.cache", "$PWD/.cache"),
        ("${PWD}/.cache", "$PWD/.cache"),
        ("a..b", "a..b"),
    ],
)
def test_plain_values_and_pwd_are_kept(value: str, expected: str) -> None:
    assert admit_value("TMPDIR", value, literal=False) == expected


@pytest.mark.req("P-08")
@pytest.mark.parametrize(
    ("value", "literal", "code"),
    [
        ("../x", False, "env"),
        ("a/../../x", False, "env"),
        ("a:../x", False, "env"),
        ("$PWD/../x", False, "env"),
        ("/x", False, "env"),
        ("~/x", False, "env"),
        ("a:/x", False, "env"),
        ("$HOME/x", False, "substitution"),
        ("$PWDX", False, "substitution"),
        ("$PWD/x", True, "substitution"),
    ],
)
def test_a_value_that_leaves_or_expands_is_refused(value: str, literal: bool, code: str) -> None:
    with pytest.raises(CommandRefused) as refused:
        admit_value("TMPDIR", value, literal=literal)
    assert refused.value.code == code


def test_names_are_those_of_variables() -> None:
    assert assigned_name("GO_1=x") == "GO_1"
    assert [assigned_name(word) for word in ("=x", "1A=x", "a-b=c", "A+=x", "A", "É=x")] == [""] * 6


@given(st.text("$PWD{}/.:~ab", max_size=12), st.booleans())
def test_an_admitted_value_stays_inside_and_expands_nothing_but_pwd(
    value: str, literal: bool
) -> None:
    try:
        admitted = admit_value("GOCACHE", value, literal=literal)
    except CommandRefused:
        return
    meant = admitted.replace("$PWD", "/workspace")
    assert "$" not in meant
    for part in meant.split(":"):
        assert not part.startswith("~")
        assert not part.startswith("/") or (part + "/").startswith("/workspace/")
        assert ".." not in part.split("/")
