"""Arguments that several commands have."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import pytest

from custody.cli import options as declare
from custody.cli.result import Arguments


def parsed(declared: Callable[[Arguments], None], *words: str) -> dict[str, object]:
    parser = argparse.ArgumentParser(exit_on_error=False)
    declared(parser)
    return vars(parser.parse_args(words))


@pytest.mark.parametrize(
    ("declared", "words", "values"),
    [
        (declare.run, ["r1"], {"run": "r1", "runsdir": ""}),
        (declare.run, ["r1", "--runsdir", "d"], {"run": "r1", "runsdir": "d"}),
        (declare.pipeline, ["p.dot"], {"pipeline": "p.dot"}),
        (declare.confinement, [], {"confinement": ""}),
        (declare.ingest, ["--ingest"], {"ingest": True}),
        (declare.verbose, ["-v"], {"verbose": True}),
        (declare.quiet, ["-q"], {"quiet": True}),
        (declare.accept_change, ["--accept-pipeline-change"], {"accept_change": True}),
    ],
)
def test_what_is_declared_is_read(
    declared: Callable[[Arguments], None], words: list[str], values: dict[str, object]
) -> None:
    assert parsed(declared, *words) == values


def test_a_new_run() -> None:
    def declared(parser: Arguments) -> None:
        declare.new_run(parser, "the project", "go on")

    assert parsed(declared) == {"workdir": "", "runsdir": "", "run_id": "", "resume": False}
    assert parsed(declared, "--run-id", "x", "--resume")["resume"] is True


def test_help_names_every_packaged_agent(root: Path) -> None:
    parser = argparse.ArgumentParser()
    declare.agent(parser, "fake")
    told = " ".join(parser.format_help().split())
    packaged = (root / "src" / "custody" / "executors" / "agents").glob("[a-z]*.py")
    assert [path.stem for path in packaged if path.stem not in told] == []
    assert "(default: fake)" in told
