"""What a command says of a run that has just ended."""

from __future__ import annotations

import os
import shutil
from argparse import Namespace
from pathlib import Path

import pytest

from custody import api
from custody.cli import main
from custody.cli.run_result import awaited, place, run_result, short, weaker
from custody.model.confinement import ChosenLevel
from support.bench import Bench


def test_the_report_and_the_status_are_the_runs(bench: Bench) -> None:
    good = bench.run("start -> done")
    told = run_result(good, Namespace(runsdir=""), {})
    assert (told.data, told.status) == (good, "PASS")
    assert next(iter(told.text)).text.startswith("PASS  p  run r1")


def test_what_a_person_must_do_stands_last(bench: Bench) -> None:
    waiting = bench.run('ask [prompt="x"] start -> ask -> done', agent="outbox")
    told = run_result(waiting, Namespace(runsdir=""), {})
    *_, last = told.text
    assert told.status == "RUNNING"
    assert last.text == "ask/1.1 waits for a person: custody answer r1/ask/1.1 --edit"
    assert list(awaited(bench.run("start -> done", run_id="r2"))) == []


@pytest.mark.req("G-26")
def test_a_copy_is_named_as_it_is_called(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """Its id is that of the original, which waits beside it."""
    bench.run('ask [prompt="x"] start -> ask -> done', agent="outbox")
    shutil.copytree(bench.runsdir / "r1", bench.runsdir / "copy")
    copied = api.resume(str(bench.runsdir / "copy"))
    where = str(bench.runsdir)
    *_, last = run_result(copied, Namespace(runsdir="", run=f"{where}/copy"), {}).text
    command = f"custody answer copy/ask/1.1 --edit --runsdir {where}"
    assert last.text == f"ask/1.1 waits for a person: {command}"
    (bench.home / "answer.md").write_text("Yes.")
    file = ["--file", str(bench.home / "answer.md")]
    assert main(["inbox", "--runsdir", where]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == ["request", "copy/ask/1.1", "r1/ask/1.1"]
    assert main(["answer", "copy/ask/1.1", *file, "--runsdir", where]) == 0
    *_, following = capsys.readouterr().out.splitlines()
    assert following == f"next: custody resume copy --runsdir {where}"
    assert api.resume("copy", runsdir=where).summary.status == "PASS"
    assert api.resume("r1", runsdir=where).waiting == "ask/1.1"


@pytest.mark.parametrize(
    ("options", "by_id"),
    [
        (Namespace(runsdir=""), True),
        (Namespace(runsdir="", run="r1"), True),
        (Namespace(runsdir="elsewhere"), False),
        (Namespace(runsdir="", run="runs/r1"), False),
    ],
)
def test_a_run_is_found_again_by_what_the_user_had_to_say(
    bench: Bench, options: Namespace, by_id: bool
) -> None:
    result = bench.run("start -> done")
    found = place(result, options)
    assert found.name == ("r1" if by_id else found.path)
    assert os.path.samefile(found.path, bench.path(""))


def test_a_path_is_told_from_here_where_it_lies_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert short(f"{tmp_path}/runs/r1") == "runs/r1"
    assert short("/elsewhere/r1") == "/elsewhere/r1"
    assert short("") == ""


@pytest.mark.req("G-13")
@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (None, []),
        (ChosenLevel(level="L3"), []),
        (
            ChosenLevel(level="L2", reasons={"L3": "no user namespaces"}),
            ["confined at L2 only (L3: no user namespaces); `custody doctor` says more"],
        ),
        (
            ChosenLevel(level="L2", asked=True),
            ["confined at L2 only (as asked); `custody doctor` says more"],
        ),
        (
            ChosenLevel(level="L1", asked=True),
            ["not confined (as asked); `custody doctor` says more"],
        ),
    ],
)
def test_a_level_that_is_not_the_best_is_told(chosen: ChosenLevel | None, said: list[str]) -> None:
    assert [line.text for line in weaker(chosen)] == said


@pytest.mark.req("G-13")
def test_the_terminal_shows_the_level_of_the_run(bench: Bench) -> None:
    ran = bench.run('t [type=tool, tool_command="true"] start -> t -> done', confinement="L1")
    text = [line.text for line in run_result(ran, Namespace(runsdir=""), {}).text]
    assert text[-1] == "not confined (as asked); `custody doctor` says more"
