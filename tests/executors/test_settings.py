"""An agent is configured by its node, else by the environment, else by a default."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from custody.errors import UsageError
from custody.executors.settings import Settings, setting


def settings(environment: dict[str, str] | None = None, **node: str) -> Settings:
    attributes = {f"a.{name}": value for name, value in node.items()}
    return Settings("a", attributes, environment or {})


def test_the_node_comes_first_then_the_environment_then_the_default() -> None:
    environment = {"CUSTODY_A_MODEL": "env"}
    assert settings(environment, model="node").text("model", "default") == "node"
    assert settings(environment).text("model", "default") == "env"
    assert settings().text("model", "default") == "default"
    assert settings(environment, model="").text("model", "default") == ""


def test_lists() -> None:
    assert settings(x=" a, ,b ,").items("x") == ("a", "b")
    assert settings(x="a, b\n\n c \n").lines("x") == ("a, b", "c")
    assert settings().items("x", "d") == ("d",)


@pytest.mark.parametrize(
    ("written", "value"),
    [("true", True), ("YES", True), ("1", True), ("off", False), ("", False), ("no", False)],
)
def test_yes_or_no(written: str, value: bool) -> None:
    assert settings(x=written).flag("x") is value
    assert settings().flag("x", default=True) is True


def test_times() -> None:
    assert settings(x="90s").seconds("x", 5) == 90
    assert settings(x="0").seconds("x", 5) == math.inf
    assert settings().seconds("x", 5) == 5


def test_numbers() -> None:
    assert settings(x="0.5").number("x") == 0.5
    assert settings(x="5").whole("x") == 5
    assert (settings().number("x"), settings().whole("x")) == (None, None)


def test_folders() -> None:
    made = settings(workdir="src/", add_dirs="docs, lib/")
    assert made.folder("workdir") == "src"
    assert made.own_folders() == ("src", "docs", "lib")
    assert settings().own_folders() == ("",)


@pytest.mark.parametrize(
    ("read", "written"),
    [
        (lambda made: made.flag("x"), "maybe"),
        (lambda made: made.seconds("x", 1), "soon"),
        (lambda made: made.number("x"), "nan"),
        (lambda made: made.number("x"), "many"),
        (lambda made: made.whole("x"), "1.5"),
        (lambda made: made.folders("x"), "../out"),
    ],
)
def test_what_cannot_be_meant_is_told_with_its_place(
    read: Callable[[Settings], object], written: str
) -> None:
    with pytest.raises(UsageError) as refused:
        read(settings(x=written))
    assert refused.value.where == "a.x"
    with pytest.raises(UsageError) as refused:
        read(settings({"CUSTODY_A_X": written}))
    assert refused.value.where == "CUSTODY_A_X"


def test_variables_are_passed_by_name() -> None:
    made = Settings("a", {"a.env": "MORE, GONE"}, {"KEY": "k", "MORE": "m", "OTHER": "o"})
    assert made.passed("KEY", "NONE") == {"KEY": "k", "MORE": "m"}


def test_the_agents_own_time_comes_before_the_nodes() -> None:
    assert Settings("a", {"a.timeout": "5s", "timeout": "9s"}, {}).timeout(60) == 5
    assert Settings("a", {"timeout": "9s"}, {"CUSTODY_A_TIMEOUT": "5s"}).timeout(60) == 60
    assert Settings("a", {}, {"CUSTODY_A_TIMEOUT": "5s"}).timeout(60) == 5


def test_a_setting_is_declared_without_the_agents_prefix() -> None:
    rule = setting("mood", "list", "How it is.", choices=("good", "bad"))
    assert (rule.name, rule.choices, rule.paths) == ("mood", ("good", "bad"), False)
