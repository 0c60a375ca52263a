"""Gates of a change, asked about a folder and a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.engine.gate_trial import GateCommand, GateReport, ask_gate, run_gate
from custody.model import layout
from support.catalog import put_catalog
from support.contracts import EXPECTED, GUARDRAILS, PLAN, REASONS
from support.patch_cases import adding

DOCUMENTS: dict[str, bytes] = {
    layout.PLAN: PLAN.encode(),
    layout.GUARDRAILS: GUARDRAILS.encode(),
    layout.REASONS: REASONS.encode(),
    layout.EXPECTED_RESULTS: EXPECTED.encode(),
    layout.PATCH: adding("docs/new.txt", 1),
}


class Place:
    """A repository, and the documents of a change of it."""

    def __init__(self, home: Path) -> None:
        self.repo, self.folder = home / "repo", home / "change"
        self.repo.mkdir()
        (self.folder / layout.ARTIFACTS).mkdir(parents=True)
        put_catalog(self.repo)
        for path, data in DOCUMENTS.items():
            self.put(path, data)

    def put(self, path: str, data: bytes) -> None:
        (self.folder / path).write_bytes(data)

    def ask(self, name: str, *, check_evidence: bool = False) -> GateReport:
        folders = {"repo": str(self.repo), "folder": str(self.folder)}
        return ask_gate(name, check_evidence=check_evidence, **folders)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def codes(report: GateReport) -> list[str]:
    assert (report.result == "failed") is bool(report.verdicts)
    return [verdict.code for verdict in report.verdicts]


@pytest.mark.parametrize("name", ["plan_check", "patch_check", "behavior_catalog_check"])
def test_what_holds_is_passed(place: Place, name: str) -> None:
    assert place.ask(name) == GateReport(gate=name, result="passed")


@pytest.mark.req("C-13")
def test_a_plan_is_judged_by_the_repository_as_it_is(place: Place) -> None:
    assert codes(place.ask("plan_check", check_evidence=True)) == ["evidence"]
    (place.repo / "docs/greeting.md").write_text("hello\n")
    assert codes(place.ask("plan_check", check_evidence=True)) == []
    (place.repo / "docs/behaviors/INDEX.md").write_text("")
    assert codes(place.ask("plan_check")) == ["unresolved", "unresolved"]
    assert codes(place.ask("behavior_catalog_check")) == ["unindexed", "unindexed"]


def test_a_survey_that_was_handed_in_does_not_count(place: Place) -> None:
    place.put(layout.SURVEY, b"{}")
    (place.repo / "greet.py").unlink()
    assert codes(place.ask("behavior_catalog_check")) == ["unmarked"]


def test_what_is_for_people_alone_is_noted(place: Place) -> None:
    place.put(layout.PLAN, PLAN.replace("scope_violation", "when Ann says so").encode())
    report = place.ask("plan_check")
    assert (report.result, len(report.notes)) == ("passed", 1)
    assert "'when Ann says so'" in report.notes[0]


@pytest.mark.req("C-19")
@pytest.mark.parametrize(
    ("patch", "code"),
    [
        (adding("secrets/s", 1), "scope"),
        (adding("docs/there.txt", 1), "git_check"),
        (adding("docs/There.txt", 1), "case_collision"),
        (adding("docs/folder", 1), "git_check"),
        (adding("docs/link/x", 1), "symlink"),
    ],
)
def test_a_patch_is_judged_by_the_files_that_are_there(
    place: Place, patch: bytes, code: str
) -> None:
    (place.repo / "docs/there.txt").write_text("x\n")
    (place.repo / "docs/folder").mkdir()
    (place.repo / "docs/folder/x").write_text("x\n")
    (place.repo / "docs/link").symlink_to(place.folder)
    place.put(layout.PATCH, patch)
    assert codes(place.ask("patch_check"))[0] == code


def test_the_policy_of_the_repository_counts(place: Place) -> None:
    place.put(layout.PATCH_POLICY, b'{"max_added_lines": 9}')
    (place.repo / "patch_policy.json").write_text('{"max_added_lines": 0}')
    assert codes(place.ask("patch_check")) == ["max_added_lines"]
    (place.repo / "patch_policy.json").write_text("{")
    assert codes(place.ask("patch_check")) == ["policy"]


@pytest.mark.req("C-21")
def test_without_a_plan_a_patch_fails(place: Place) -> None:
    (place.folder / layout.PLAN).unlink()
    assert codes(place.ask("patch_check")) == ["plan"]


def test_what_could_not_be_judged_is_not_executed(place: Place, tmp_path: Path) -> None:
    (place.folder / layout.PATCH).unlink()
    assert place.ask("patch_check").result == "not_executed"
    empty = tmp_path / "empty"
    empty.mkdir()
    for name in ("plan_check", "patch_check"):
        report = ask_gate(name, repo=str(place.repo), folder=str(empty))
        assert (report.result, report.verdicts) == ("not_executed", ())
    gone = ask_gate("behavior_catalog_check", repo=str(tmp_path / "gone"), folder=str(empty))
    assert gone.result == "not_executed"
    assert "gone" in gone.reason


@pytest.mark.req("C-14")
@pytest.mark.parametrize("name", ["lite", "full"])
def test_each_command_is_run_on_a_copy(place: Place, name: str) -> None:
    settings = place.repo / "custody.toml"
    settings.write_text(
        f'[change]\n{name} = ["touch made && test -f made", "mkdir made", "test \\"a\\" = a"]\n'
    )
    report = run_gate(name, repo=str(place.repo))
    assert report.result == "passed", report
    assert report.commands[0] == GateCommand(cmd="touch made && test -f made", exit_code=0)
    assert not (place.repo / "made").exists()
    settings.write_text(f'[change]\n{name} = ["true", "false", "true"]\n')
    report = run_gate(name, repo=str(place.repo))
    assert [(one.cmd, one.exit_code) for one in report.commands] == [("true", 0), ("false", 1)]
    assert (codes(report), report.verdicts[0].check) == (["command_failed"], name)


@pytest.mark.req("C-14")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "names no command"),
        ("[change]\nlite = []\n", "names no command"),
        ('[change]\nlite = ["echo a, b"]\n', "no comma"),
        ('[change]\nlite = "make"\n', "Expected `array`"),
        ('[change]\nlite = ["/bin/true"]\n', "absolute path"),
        ('[change]\nlite = ["true || true"]\n', "hides whether"),
        ("[change\n", "custody.toml"),
    ],
)
def test_commands_that_cannot_be_run_are_not_executed(place: Place, text: str, told: str) -> None:
    (place.repo / "custody.toml").write_text(text)
    report = run_gate("lite", repo=str(place.repo))
    assert report.result == "not_executed"
    assert told in report.reason
