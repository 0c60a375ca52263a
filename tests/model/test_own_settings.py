from __future__ import annotations

from custody.model.own_settings import McpServer, OwnAgent, OwnSettings


def test_nothing_is_allowed_by_default() -> None:
    assert OwnAgent().words() == ()
    assert OwnSettings().toolchains == ()


def test_what_is_allowed_is_told_in_words() -> None:
    own = OwnAgent(login=True, git=True, mcp={"notes": McpServer(command=("x",))})
    assert own.words() == ("login", "git", "mcp:notes")
