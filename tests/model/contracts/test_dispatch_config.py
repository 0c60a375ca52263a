"""Who has which role in a change."""

from __future__ import annotations

import json

import pytest

from custody.errors import MalformedDocument
from custody.model.contracts.dispatch_config import ROLES, DispatchConfig
from custody.model.record import decode, encode


def read(**fields: object) -> DispatchConfig:
    data = json.dumps({"schema_version": "ctcp-dispatch-config-v1", **fields}).encode()
    return decode(data, DispatchConfig, where="c")


@pytest.mark.req("C-24")
def test_it_has_mode_providers_and_budgets() -> None:
    config = read(
        mode="api_agent", role_providers={"fixer": "codex"}, budgets={"max_outbox_prompts": 4}
    )
    assert config.mode == "api_agent"
    assert config.budgets.max_outbox_prompts == 4
    assert decode(encode(config), DispatchConfig, where="c") == config


@pytest.mark.req("C-24")
def test_every_one_of_the_seven_roles_has_a_provider() -> None:
    assert len(ROLES) == 7
    assert {role: DispatchConfig().provider(role) for role in ROLES} == {
        "librarian": "local_exec",
        "chair": "manual_outbox",
        "contract_guardian": "local_exec",
        "cost_controller": "manual_outbox",
        "patchmaker": "manual_outbox",
        "fixer": "manual_outbox",
        "researcher": "manual_outbox",
    }


@pytest.mark.parametrize("mode", ["api_agent", "ollama_agent"])
def test_a_mode_is_that_of_those_who_make_something(mode: str) -> None:
    config = read(mode=mode)
    assert [role for role in ROLES if config.provider(role) == mode] == [
        "chair",
        "patchmaker",
        "fixer",
    ]


@pytest.mark.req("C-25")
@pytest.mark.parametrize(
    ("mode", "librarian", "manual"),
    [
        ("manual_outbox", "manual_outbox", True),
        ("manual_outbox", "local_exec", False),
        ("manual_outbox", None, False),
        ("api_agent", "manual_outbox", False),
    ],
)
def test_the_librarian_is_a_person_only_when_both_settings_say_so(
    mode: str, librarian: str | None, manual: bool
) -> None:
    providers = {} if librarian is None else {"librarian": librarian}
    assert read(mode=mode, role_providers=providers).manual_librarian is manual


def test_the_contract_is_reviewed_without_a_model() -> None:
    agents = DispatchConfig().agents()
    assert agents["contract_guardian"] == "contract_check"
    assert "librarian" not in agents


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"role_providers": {"chef": "codex"}}, "no role 'chef'"),
        ({"role_providers": {"librarian": "codex"}}, "the librarian is local_exec or"),
        ({"role_providers": {"researcher": "codex"}}, "the researcher is local_exec or"),
        ({"budgets": {"max_outbox_prompts": 0}}, "below 1"),
    ],
)
def test_what_makes_no_sense_is_told(fields: dict[str, object], told: str) -> None:
    assert told in read(**fields).faults()[0]


@pytest.mark.parametrize("fields", [{"mode": "telepathy"}, {"more": 1}, {"role_providers": []}])
def test_what_is_no_configuration_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(MalformedDocument):
        read(**fields)
