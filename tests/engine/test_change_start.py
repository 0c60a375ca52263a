"""What a change begins with."""

from __future__ import annotations

import json

import pytest

from custody import api
from custody.engine.change_start import ChangeStart, WantedChange, slug_of, start_of
from custody.errors import MalformedDocument, UsageError


def begun(**fields: object) -> ChangeStart:
    wanted = WantedChange(**{"goal": "g", "lite": ["make"], **fields})  # type: ignore[arg-type]
    return start_of(wanted, api.load("change"))


def test_nobody_named_means_people_and_a_review_by_rules() -> None:
    assert begun().roles == {
        "chair": "manual_outbox",
        "contract_guardian": "contract_check",
        "cost_controller": "manual_outbox",
        "patchmaker": "manual_outbox",
        "fixer": "manual_outbox",
    }


def test_an_agent_has_every_role_but_the_local_ones() -> None:
    roles = begun(agent="codex", roles={"fixer": "claude"}).roles
    assert roles["chair"] == "codex"
    assert roles["fixer"] == "claude"
    assert roles["contract_guardian"] == "contract_check"


def test_custody_makes_the_pack_unless_a_person_does() -> None:
    assert begun().packs
    assert not begun(documents={"artifacts/context_pack.json": b"{}"}).packs
    manual = {
        "schema_version": "ctcp-dispatch-config-v1",
        "mode": "manual_outbox",
        "role_providers": {"librarian": "manual_outbox"},
    }
    assert not begun(config=json.dumps(manual).encode()).packs


@pytest.mark.req("C-24")
def test_the_configuration_is_a_document_of_the_run() -> None:
    given = {"schema_version": "ctcp-dispatch-config-v1", "mode": "api_agent"}
    documents = begun(config=json.dumps(given).encode()).documents
    kept = json.loads(documents["artifacts/dispatch_config.json"])
    assert kept["mode"] == "api_agent"


def test_guardrails_are_there_unless_the_user_has_others() -> None:
    assert b"max_iterations: 3" in begun().documents["artifacts/guardrails.md"]
    own = {"artifacts/guardrails.md": b"mine"}
    assert begun(documents=own).documents["artifacts/guardrails.md"] == b"mine"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"goal": " "}, "GOAL is missing"),
        ({"lite": []}, "no command judges the change"),
        ({"roles": {"chef": "codex"}}, "no role 'chef'"),
        ({"roles": {"librarian": "codex"}}, "the librarian is"),
    ],
)
def test_what_cannot_be_meant_is_refused(fields: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        begun(**fields)


@pytest.mark.parametrize("gate", ["lite", "full"])
@pytest.mark.parametrize("command", ["cd / && ls", "make || true", "/bin/true", "make 'x"])
def test_a_command_that_no_run_would_start_is_refused(gate: str, command: str) -> None:
    with pytest.raises(UsageError, match=f"the gate {gate}: "):
        begun(**{gate: ["make", command]})


def test_an_empty_command_is_none() -> None:
    with pytest.raises(UsageError, match="no command judges the change"):
        begun(lite=["", " \n"])
    assert begun(lite=["make a\n\nmake b", ""]).variables["lite"] == "make a\nmake b"


def test_the_configuration_is_not_handed_in_as_a_document() -> None:
    with pytest.raises(UsageError, match="no document to hand in"):
        begun(documents={"artifacts/dispatch_config.json": b"{}"})


def test_a_configuration_that_is_none_is_refused() -> None:
    with pytest.raises(MalformedDocument):
        begun(config=b"{}{}")


@pytest.mark.parametrize(
    ("name", "slug"), [("my repo", "my-repo"), ("..", "repository"), ("a/b", "a-b"), ("x.y", "x.y")]
)
def test_a_slug_is_one_name(name: str, slug: str) -> None:
    assert slug_of(name) == slug
