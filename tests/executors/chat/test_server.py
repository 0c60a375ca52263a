"""Which server is asked, and with which key."""

from __future__ import annotations

import pytest

from custody.errors import UsageError
from custody.executors.agents.api import KEY, OPENAI, openai_server
from custody.executors.chat.server import server_of
from custody.executors.settings import Settings


def test_the_key_goes_where_it_belongs() -> None:
    environment = {KEY: "k", "MINE": "m"}
    default = openai_server({})
    assert default.url == OPENAI
    own = server_of(Settings("api", {}, {}), default, environment)
    assert (own.url, own.key) == (OPENAI, "k")
    other = Settings("api", {"api.base_url": "http://a/v1/"}, {})
    assert server_of(other, default, environment)[:3] == ("http://a/v1", "", "")
    named = Settings("api", {"api.base_url": "http://a/v1", "api.key_env": "MINE"}, {})
    assert server_of(named, default, environment).key == "m"


def test_a_variable_that_is_not_set_is_told() -> None:
    with pytest.raises(UsageError, match="MINE is not set"):
        server_of(Settings("api", {"api.key_env": "MINE"}, {}), openai_server({}), {})
