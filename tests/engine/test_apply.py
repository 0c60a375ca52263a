"""What a run changed goes into its source: proved first, all of it or nothing."""

from __future__ import annotations

import json
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from custody import api
from custody.errors import Refused, RunError, RunLocked, UsageError
from custody.model import layout
from custody.model.record import encode_pretty
from custody.store.rundir import RunDirectory
from custody.workspace.takeover import TakeoverPlan
from support.bench import Bench
from support.tampering import rechained

WORK = 'work [prompt="x"]\nstart -> work -> done'
FAILS = 'work [prompt="x"]\ntest [type=tool, tool_command="false"]\nstart -> work -> test -> done'
EDITS: tuple[dict[str, Any], ...] = (
    {"path": "app.py", "content": "new\n"},
    {"path": "bin/tool", "content": "#!/bin/sh\n", "executable": True},
    {"path": "gone.txt", "content": None},
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    (made.workdir / "app.py").write_text("old\n")
    (made.workdir / "gone.txt").write_text("gone\n")
    return made


def edited(bench: Bench, *edits: dict[str, Any], body: str = WORK, **options: Any) -> str:
    """Run a pipeline whose agent makes these edits; return the run directory."""
    book = bench.home / "book.json"
    book.write_text(json.dumps({"nodes": {"work": [{"text": "x", "edits": edits}]}}))
    return bench.run(body, agent=f"fake:{book}", **options).path


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


OLD = {"app.py": "old\n", "gone.txt": "gone\n"}
NEW = {"app.py": "new\n", "bin/tool": "#!/bin/sh\n"}


@pytest.mark.req("U-07")
def test_into_the_source_and_again(bench: Bench) -> None:
    run = edited(bench, *EDITS)
    done = api.apply(run)
    assert contents(bench.workdir) == NEW
    assert (bench.workdir / "bin/tool").stat().st_mode & 0o111
    assert {one.path: one.change for one in done.changes} == {
        "app.py": "modified", "bin": "added", "bin/tool": "added", "gone.txt": "deleted",
    }  # fmt: skip
    assert (done.verdict, done.conflicts, done.folder) == ("PASS", (), str(bench.workdir))
    again = api.apply(run)
    assert (again.changes, again.conflicts, len(again.unchanged)) == ((), (), 4)


@pytest.mark.req("U-07")
def test_the_same_changes_as_the_patch_that_diff_prints(bench: Bench, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name, text in OLD.items():
        (other / name).write_text(text)
    run = edited(bench, *EDITS)
    from custody.patch.write import write_change

    patch = b"".join(write_change(one.change, one.before, one.after) for one in api.changes(run))
    subprocess.run(["git", "apply", "--binary", "-"], cwd=other, input=patch, check=True)
    api.apply(run)
    assert contents(other) == contents(bench.workdir)


def test_to_another_folder(bench: Bench, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "app.py").write_text("old\n")
    (other / "mine").write_text("mine\n")
    run = edited(bench, *EDITS)
    found = api.apply(run, to=str(other))
    assert found.conflicts == ()
    assert contents(other) == {**NEW, "mine": "mine\n"}
    assert contents(bench.workdir) == OLD


@pytest.mark.req("U-07")
def test_a_source_that_changed_meanwhile_is_left_alone(bench: Bench) -> None:
    run = edited(bench, *EDITS)
    (bench.workdir / "app.py").write_text("mine\n")
    (bench.workdir / "bin").write_text("mine\n")
    before = contents(bench.workdir)
    found = api.apply(run)
    assert sorted(one.path for one in found.conflicts) == ["app.py", "bin"]
    assert contents(bench.workdir) == before


def test_a_dry_run_writes_nothing(bench: Bench) -> None:
    run = edited(bench, *EDITS)
    found = api.apply(run, dry_run=True)
    assert (len(found.changes), found.dry_run) == (4, True)
    assert contents(bench.workdir) == OLD


@pytest.mark.req("U-07")
def test_a_run_that_did_not_pass_must_be_asked_for(bench: Bench) -> None:
    run = edited(bench, *EDITS, body=FAILS)
    with pytest.raises(RunError, match="run r1 failed: nothing is applied") as told:
        api.apply(run)
    assert "--failed" in told.value.hint
    assert contents(bench.workdir) == OLD
    assert api.apply(run, failed=True).verdict == "FAIL"
    assert contents(bench.workdir) == NEW


def test_a_run_that_has_not_ended_is_gone_on_with_first(bench: Bench) -> None:
    body = 'ask [prompt="x", agent=outbox]\n' + WORK.replace("work -> done", "work -> ask -> done")
    run = edited(bench, *EDITS, body=body)
    with pytest.raises(RunError, match="run r1 has not ended: nothing is applied") as told:
        api.apply(run)
    assert told.value.hint.startswith("`custody resume r1`, or --failed ")
    assert contents(bench.workdir) == OLD


def test_a_run_at_work_is_never_applied(bench: Bench) -> None:
    path = edited(bench, *EDITS)
    with RunDirectory.open(path, write=True), pytest.raises(RunLocked, match="is at work"):
        api.apply(path, failed=True)


@pytest.mark.req("U-07")
@pytest.mark.parametrize("what", ["journal", "evidence", "blob"])
def test_a_tampered_run_is_never_applied(what: str, bench: Bench) -> None:
    path = Path(edited(bench, *EDITS))
    with RunDirectory.open(str(path), write=False) as run:
        content = next(
            one.after.sha256 for one in (file.change for file in api.changes(str(path)))
            if one.path == "app.py" and one.after
        )  # fmt: skip
        blob = run.blobs.path_of(content)
    place = (
        path
        / {
            "journal": layout.EVENTS,
            "evidence": f"nodes/work/1.1/{layout.WORKSPACE_DIFF}",
            "blob": blob,
        }[what]
    )
    place.chmod(0o600)
    place.write_bytes(place.read_bytes().replace(b"new\n", b"bad\n").replace(b"app.py", b"apq.py"))
    with pytest.raises(RunError):
        api.apply(str(path))
    assert contents(bench.workdir) == OLD
    assert not (bench.workdir / layout.TAKEOVER).exists()


def head_of(journal: Path) -> str:
    return sha256(journal.read_bytes().splitlines()[-1]).hexdigest()


@pytest.mark.req("U-07", "G-14")
def test_a_run_whose_decisions_were_forged_is_never_applied(bench: Bench) -> None:
    """Its chain fits and its evidence is there: only deciding again shows it."""
    path = Path(edited(bench, *EDITS))
    journal = path / layout.EVENTS
    lines = journal.read_bytes().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if b'"event":"RouteChosen"' in line)
    lines[at] = lines[at].replace(b'"by_condition":false', b'"by_condition":true')
    before = head_of(journal)
    journal.write_bytes(rechained(lines, at + 1))
    for view in path.glob("*.json"):
        view.write_text(view.read_text().replace(before, head_of(journal)))
    (wrong,) = api.verify(str(path), rebuild=True).mismatches
    assert wrong.code == "decisions"
    with pytest.raises(RunError, match="the record does not hold"):
        api.apply(str(path))
    assert contents(bench.workdir) == OLD


def test_where_it_can_go(bench: Bench, tmp_path: Path) -> None:
    run = edited(bench, *EDITS)
    with pytest.raises(Refused, match="its own directory"):
        api.apply(run, to=f"{run}/workspace")
    with pytest.raises(UsageError, match="no such folder"):
        api.apply(run, to=str(tmp_path / "none"))
    bench.workdir.rename(tmp_path / "moved")
    with pytest.raises(UsageError) as told:
        api.apply(run)
    assert "--to DIR" in told.value.hint


def test_a_run_without_a_source_needs_a_folder(bench: Bench) -> None:
    path = bench.pipeline("start -> done")
    run = api.run(path, runsdir=str(bench.runsdir), run_id="r2").path
    with pytest.raises(UsageError, match="empty workspace"):
        api.apply(run)


@pytest.mark.req("U-07")
def test_what_was_broken_off_is_told_of(bench: Bench) -> None:
    run = edited(bench, *EDITS)
    (bench.workdir / layout.TAKEOVER).mkdir()  # killed before there was a plan
    assert api.apply(run, dry_run=True).conflicts == ()
    assert api.apply(run).finished == ""
    assert contents(bench.workdir) == NEW
    plan = bench.workdir / layout.TAKEOVER / layout.TAKEOVER_PLAN
    plan.parent.mkdir()
    plan.write_bytes(encode_pretty(TakeoverPlan(run_id="r9", device=1, inode=1, steps=())))
    with pytest.raises(Refused, match="taking run r9 over was broken off here"):
        api.apply(run, dry_run=True)


@pytest.mark.req("U-14")
def test_what_is_excluded_stays_as_it_is(bench: Bench) -> None:
    (bench.workdir / "debug.log").write_text("mine\n")
    edits = (*EDITS, {"path": "debug.log", "content": "the run's\n"})
    run = edited(bench, *edits, exclude=("*.log",))
    found = api.apply(run)
    assert (found.left_out, found.conflicts) == (("debug.log",), ())
    assert contents(bench.workdir) == {**NEW, "debug.log": "mine\n"}


@pytest.mark.req("U-07")
def test_a_source_that_was_named_from_elsewhere_must_be_named_again(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bench.workdir)
    book = bench.home / "book.json"
    edits = [{"path": "new", "content": "new\n"}]
    book.write_text(json.dumps({"nodes": {"work": [{"text": "x", "edits": edits}]}}))
    run = api.run(
        bench.pipeline(WORK), workdir=".", runsdir=str(bench.runsdir), run_id="r1",
        agent=f"fake:{book}",
    ).path  # fmt: skip
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    with pytest.raises(UsageError, match="from another folder") as told:
        api.apply(run)
    assert "--to DIR" in told.value.hint
    assert contents(other) == {}
    monkeypatch.chdir(bench.workdir)
    assert api.apply(run).conflicts == ()
    assert contents(bench.workdir)["new"] == "new\n"
