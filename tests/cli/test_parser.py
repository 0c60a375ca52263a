"""From words to a command and its options; help loads nothing that it does not need."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from custody.cli import main
from custody.cli.commands import commands
from custody.cli.parser import Parsed, parse
from custody.errors import UsageError
from support.shell import Shell

HEAVY = {"asyncio", "msgspec", "rich", "subprocess", "difflib", "shtab", "tomllib", "custody.api"}


def loaded_by(*words: str) -> set[str]:
    code = "import sys; from custody.cli import main; assert main(sys.argv[1:]) == 0; "
    code += "print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.rpartition("\n")[0].splitlines()[-1].split())


def module_of(command: str) -> str:
    return f"custody.cli.commands.{command}"


def test_help_loads_no_command_and_nothing_heavy() -> None:
    loaded = loaded_by("--help")
    assert loaded & (HEAVY | set(map(module_of, commands()))) == set()
    assert "custody.cli.parser" in loaded


@pytest.mark.parametrize("name", commands())
def test_help_of_a_command_loads_only_that_one(name: str) -> None:
    others = {module_of(other) for other in commands() if other != name}
    assert loaded_by(name, "--help") & (HEAVY | others) == set()


@pytest.mark.parametrize("name", commands())
def test_every_command_has_help_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"usage: custody {name} ")
    assert f"  custody {name}" in printed.partition("\nexample")[2]
    assert "--json" in printed


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert [line for line in commands().values() if line not in printed] == []


@pytest.mark.req("G-19")
def test_help_looks_alike_on_every_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """3.11 set the longest name on a line of its own, and 3.14 colours what it prints."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    width = max(map(len, commands()))
    assert [line for line in told.splitlines() if re.match(r" {4}\S", line)] == [
        f"    {name:<{width}}  {line}" for name, line in commands().items()
    ]
    assert "\x1b" not in told


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("custody ")


@pytest.mark.req("P-16")
@pytest.mark.parametrize(
    "words",
    [
        ["no-such-command"],
        ["run"],
        ["run", "--no-such-option", "p.dot"],
        ["schema", "no-such-schema"],
        ["graph", "p.dot", "--format", "png"],
    ],
)
def test_wrong_usage_is_1(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert "\n  hint: " in printed.err


def test_a_mistyped_command_is_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verfy"]) == 1
    assert "did you mean 'verify'?" in capsys.readouterr().err


def test_wrong_usage_is_json_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--json", "--nonsense"]) == 1
    assert json.loads(capsys.readouterr().out)["error_type"] == "USAGE"


def test_words_that_are_not_text_are_refused(custody: Shell) -> None:
    done = custody("check", "\udcff.dot", "--json")
    assert (done.code, done.data["error_type"]) == (1, "USAGE")
    assert done.data["what"] == "'\\udcff.dot' is not UTF-8"


@pytest.mark.parametrize(
    "words",
    [
        ("search", "retry", "policy", "--limit", "5"),
        ("search", "--limit", "5", "retry", "policy"),
        ("search", "retry", "--limit", "5", "policy"),
        ("--limit", "5", "search", "retry", "policy"),
    ],
)
def test_words_may_stand_behind_options(words: tuple[str, ...]) -> None:
    parsed = parse(["seek", *words])
    assert isinstance(parsed, Parsed)
    assert (parsed.options.words, parsed.options.limit) == (["retry", "policy"], 5)


@pytest.mark.parametrize(
    "words", [("seek", "search", "--limit", "5", "x", "--nothing"), ("show", "r1", "n", "more")]
)
def test_what_nobody_knows_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="unrecognized arguments"):
        parse([*words])


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["run", "p.dot", "--agnt", "fake"], "did you mean --agent?"),
        (["apply", "last", "--barnch=x"], "did you mean --branch?"),
        (["--verison"], "did you mean --version?"),
        (["runs", "--zzz"], "custody runs --help"),
        (["show", "a", "b", "c"], "custody show --help"),
        (["-v"], "custody --help"),
    ],
)
def test_who_misspells_an_option_is_told_the_nearest(words: list[str], hint: str) -> None:
    with pytest.raises(UsageError, match="unrecognized arguments: ") as caught:
        parse(words)
    assert caught.value.hint == hint
