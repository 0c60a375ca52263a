"""Verification plans: strict reading, and admission as a whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.checks.guards.plan import (
    COMMANDS_LIMIT,
    FILES_LIMIT,
    LENGTH_LIMIT,
    admit_plan,
    admit_required,
    read_plan,
)
from custody.errors import CommandRefused, MalformedDocument, Refused
from custody.model.journal_version import VERSIONS
from custody.model.plan import VerificationPlan

ALLOWED = ("go test", "pytest")


def plan(*commands: str, files: tuple[str, ...] = ()) -> VerificationPlan:
    return VerificationPlan(required_files=files, commands=commands)


@pytest.mark.req("P-07")
def test_reads_a_plan_from_text_and_from_values() -> None:
    value = {"required_files": ["a.py"], "commands": ["go test ./..."]}
    expected = plan("go test ./...", files=("a.py",))
    assert read_plan(value, "verification.plan") == expected
    assert read_plan(json.dumps(value), "verification.plan") == expected
    assert read_plan(expected, "verification.plan") == expected


@pytest.mark.req("P-07")
@pytest.mark.parametrize(
    ("value", "code"),
    [
        (None, "type"),
        (1, "type"),
        ([], "type"),
        ({"commands": "go test"}, "type"),
        ({"commands": [1]}, "type"),
        ({"commands": ["x"], "cmds": []}, "type"),
        ({"commands": [object()]}, "type"),
        ("", "json"),
        ("{", "json"),
        ("go test", "json"),
        ('{"commands": ["a"], "commands": ["b"]}', "duplicate_key"),
        ('{"commands": ["\udc80"]}', "encoding"),
        ({"commands": ["\ud800"]}, "encoding"),
        ({}, "empty"),
        ({"commands": [], "required_files": []}, "empty"),
        ({"schema_version": "2.0", "commands": ["x"]}, "schema_version"),
        ({"commands": ["x"] * (COMMANDS_LIMIT + 1)}, "limit"),
        ({"required_files": ["x"] * (FILES_LIMIT + 1)}, "limit"),
        ({"commands": ["x" * (LENGTH_LIMIT + 1)]}, "limit"),
        ({"required_files": ["x" * (LENGTH_LIMIT + 1)]}, "limit"),
    ],
)
def test_refuses_a_malformed_plan(value: object, code: str) -> None:
    with pytest.raises(MalformedDocument) as error:
        read_plan(value, "verification.plan")
    assert error.value.code == code
    assert error.value.where == "verification.plan"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["commands", "required_files", "schema_version"])
                | st.text(max_size=5),
                inner,
                max_size=3,
            )
        ),
        max_leaves=8,
    )
)
def test_any_value_is_read_or_refused(value: Any) -> None:
    try:
        found = read_plan(value, "plan")
    except MalformedDocument:
        return
    assert found.commands or found.required_files


@pytest.mark.req("P-07")
def test_admits_a_plan() -> None:
    files, lines = admit_plan(plan("go test ./...", "pytest -q", files=("a/b.py",)), ALLOWED, "app")
    assert [str(path) for path in files] == ["a/b.py"]
    assert [line.text for line in lines] == ["go test ./...", "pytest -q"]
    assert {command.workdir for line in lines for command in line.commands} == {"app"}


@pytest.mark.req("P-07")
def test_one_command_that_is_not_allowed_refuses_the_plan() -> None:
    with pytest.raises(CommandRefused) as refused:
        admit_plan(plan("go test", "rm -rf x"), ALLOWED)
    assert refused.value.what == "verification command not allowed: rm -rf x"
    assert refused.value.code == "prefix"
    assert "'rm -rf x' is not allowed" in refused.value.hint


@pytest.mark.req("P-07")
def test_an_empty_allowlist_admits_no_command() -> None:
    with pytest.raises(CommandRefused):
        admit_plan(plan("go test"), ())
    assert admit_plan(plan(files=("a",)), ())[1] == ()


@pytest.mark.req("P-07")
@pytest.mark.parametrize(
    ("path", "code"),
    [("../x", "traversal"), ("/x", "absolute"), ("", "empty"), ("a\nb", "control")],
)
def test_a_required_file_must_be_a_path_of_the_workspace(path: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        admit_plan(plan(files=("ok", path)), ALLOWED)
    assert refused.value.code == code
    assert refused.value.what.startswith("required file not allowed: ")
    assert "\n" not in refused.value.what


@pytest.mark.req("G-01")
def test_what_the_pipeline_demands_needs_no_allowlist() -> None:
    lines = admit_required(["make test", "(cd app && go test ./... | cat)"], "sub")
    assert [line.text for line in lines] == ["make test", "(cd app && go test ./... | cat)"]
    assert [command.workdir for line in lines for command in line.commands] == [
        "sub",
        "sub/app",
        "sub/app",
    ]


@pytest.mark.req("G-01")
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("pytest || true", "operator"),
        ("pytest ; true", "operator"),
        ("/usr/bin/pytest", "program"),
        ("pytest `id`", "substitution"),
        ("", "prefix"),
    ],
)
def test_a_demand_whose_exit_code_would_not_count(command: str, code: str) -> None:
    with pytest.raises(CommandRefused) as refused:
        admit_required(["pytest", command])
    assert refused.value.code == code


def test_a_plan_may_be_empty_where_something_is_demanded() -> None:
    assert read_plan({}, "x", may_be_empty=True) == plan()
    with pytest.raises(MalformedDocument):
        read_plan({}, "x")


@pytest.mark.req("U-18")
def test_the_files_may_be_called_as_another_system_does() -> None:
    value = {"files": ["a.py"], "commands": ["go test"]}
    expected = plan("go test", files=("a.py",))
    assert read_plan(value, "verification.plan") == expected
    assert read_plan(json.dumps(value), "verification.plan") == expected


@pytest.mark.req("U-18")
@pytest.mark.parametrize("written", [dict, json.dumps])
def test_files_by_both_names_and_in_earlier_journals_are_refused(written: Any) -> None:
    both = {"files": ["a.py"], "required_files": ["b.py"]}
    with pytest.raises(MalformedDocument, match="files"):
        read_plan(written(both), "verification.plan")
    with pytest.raises(MalformedDocument, match="files"):
        read_plan(written({"files": ["a.py"]}), "verification.plan", version=VERSIONS["1.2"])


@pytest.mark.req("U-16")
def test_a_refusal_names_the_variable() -> None:
    with pytest.raises(CommandRefused, match=r"PATH=\. pytest: the variable PATH may not be set"):
        admit_plan(plan("PATH=. pytest"), ALLOWED)
    with pytest.raises(CommandRefused, match=r"not allowed: A=1 pytest\Z"):
        admit_plan(plan("A=1 pytest"), ALLOWED, version=VERSIONS["1.2"])
    assert admit_plan(plan("A=1 pytest"), ALLOWED)[1][0].commands[0].environment == {"A": "1"}
