"""Each agent says which servers its configuration names."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import UsageError
from custody.executors.agents import claude, codex, opencode
from custody.executors.programs.reach import Reach, named, nowhere, reached, servers
from custody.executors.settings import Settings

AGENTS: dict[str, Reach] = {
    "claude": claude.reach,
    "codex": codex.reach,
    "command": nowhere,
    "opencode": opencode.reach,
}
LOCAL = "http://127.0.0.1:8377/v1"


def reach_of(
    agent: str, attributes: dict[str, str] | None = None, variables: dict[str, str] | None = None
) -> tuple[str, ...]:
    return reached(Settings(agent, attributes or {}, {}), variables or {}, AGENTS[agent])


class TestCodex:
    def test_openai_is_the_default(self) -> None:
        assert reach_of("codex") == ("api.openai.com:443", "chatgpt.com:443")

    @pytest.mark.parametrize(
        "config",
        [
            f'model_providers.local.base_url="{LOCAL}"',
            f'model_providers.local={{name="l", base_url="{LOCAL}"}}\nmodel_provider="local"',
            f"openai_base_url={LOCAL}",
        ],
    )
    def test_an_override_names_another(self, config: str) -> None:
        assert reach_of("codex", {"codex.config": config}) == ("127.0.0.1:8377",)

    def test_a_variable_that_it_gets_names_another(self) -> None:
        variables = {"OPENAI_BASE_URL": "https://models.example/v1"}
        assert reach_of("codex", variables=variables) == ("models.example:443",)


class TestClaude:
    def test_anthropic_is_the_default(self) -> None:
        assert reach_of("claude") == ("api.anthropic.com:443",)

    def test_a_variable_names_another(self) -> None:
        assert reach_of("claude", variables={"ANTHROPIC_BASE_URL": LOCAL}) == ("127.0.0.1:8377",)


class TestOpencode:
    def test_keys_tell_whose_models_are_meant(self) -> None:
        assert reach_of("opencode") == ("models.dev:443",)
        variables = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
        assert reach_of("opencode", variables=variables) == (
            "api.openai.com:443", "api.anthropic.com:443", "models.dev:443",
        )  # fmt: skip

    def test_its_configuration_names_others(self) -> None:
        options = [{"options": {"baseURL": url}} for url in (LOCAL, "https://[2001:db8::1]/v1")]
        config = json.dumps({"provider": dict(zip("ab", options, strict=True))})
        assert reach_of("opencode", {"opencode.config": config}, {"OPENAI_API_KEY": "k"}) == (
            "127.0.0.1:8377", "[2001:db8::1]:443", "models.dev:443",
        )  # fmt: skip

    def test_a_configuration_that_is_no_json_names_none(self) -> None:
        assert reach_of("opencode", {"opencode.config": "{"}) == ("models.dev:443",)


def test_a_command_names_none() -> None:
    assert reach_of("command") == ()


@pytest.mark.parametrize("agent", AGENTS)
def test_a_setting_replaces_what_is_named(agent: str) -> None:
    assert reach_of(agent, {f"{agent}.reach": "a.example:1, b.example:2"}) == (
        "a.example:1", "b.example:2",
    )  # fmt: skip
    assert reach_of(agent, {f"{agent}.reach": ""}) == ()


@pytest.mark.parametrize("entry", ["a.example", "a.example:0", "a:99999", "http://a:1", "::1:80"])
def test_an_entry_that_is_no_server_is_refused(entry: str) -> None:
    with pytest.raises(UsageError, match=r"host:port is meant|no port from|in brackets"):
        reach_of("codex", {"codex.reach": entry})


@given(st.lists(st.text()))
def test_what_is_no_address_names_no_server(urls: list[str]) -> None:
    assert all(":" in server for server in servers(urls))


def test_depth_does_not_matter() -> None:
    document: object = {"baseURL": "x"}
    for _ in range(5000):
        document = [document]
    assert list(named(document, "baseURL")) == ["x"]
