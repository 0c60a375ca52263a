"""The reference of all commands, made from what they declare."""

from __future__ import annotations

import pytest

from custody.cli.commands import commands
from custody.cli.manual import man_page
from custody.cli.manual import page as page_of


def reference() -> str:
    return page_of(commands())


def test_every_command_has_a_section() -> None:
    page = reference()
    assert [name for name in commands() if f"\n## custody {name}\n" not in page] == []


def test_arguments_are_shown_as_they_are_typed() -> None:
    page = reference()
    assert "custody run [PIPELINE] [--workdir DIR]" in page
    assert "[--set NAME=VALUE] …" in page
    assert "| `-v, --verbose` |" in page
    assert "custody check PIPELINE … [--json]" in page
    assert "custody completion bash|zsh|tcsh|fish" in page
    assert "| `bash\\|zsh\\|tcsh\\|fish` |" in page
    assert "[NODE]" in page


def test_the_page_does_not_depend_on_the_terminal() -> None:
    assert reference() == reference()
    assert all(line == line.rstrip() for line in reference().splitlines())


@pytest.mark.req("U-19")
def test_the_man_page_has_every_command_and_no_line_that_is_a_request() -> None:
    page = man_page(commands())
    assert [name for name in commands() if f"\n.SS custody {name}\n" not in page] == []
    requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".nf", ".fi", ".in"}
    assert page.isascii(), "a terminal of ASCII shows it as well"
    assert "\\-\\-workdir DIR" in page
