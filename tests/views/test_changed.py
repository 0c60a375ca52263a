"""What a run, or one stage of it, did to each file, with the bytes before and after."""

from __future__ import annotations

import json

from custody.store.history import History
from custody.store.rundir import RunDirectory
from custody.views.changed import ChangedFile, changed_by_node, changed_by_run
from support.bench import Bench

BODY = (
    'one [prompt="x"] two [prompt="x", allowed_write_paths="other"] '
    'start -> one -> two -> done two -> done [condition="outcome=fail"]'
)


def ran(bench: Bench) -> None:
    """Run two stages, of which the second is refused."""
    (bench.workdir / "old").write_text("before\n")
    (bench.workdir / "gone").write_text("bye\n")
    (bench.workdir / "link").symlink_to("old")
    edits = [
        {"path": "old", "content": "after\n"},
        {"path": "new", "content": "new\n"},
        {"path": "gone"},
        {"path": "link", "symlink": "new"},
    ]
    book = {
        "nodes": {
            "one": [{"text": "x", "edits": edits}],
            "two": [{"text": "x", "edits": [{"path": "refused", "content": "no\n"}]}],
        }
    }
    (bench.home / "answers.json").write_text(json.dumps(book))
    bench.run(BODY, agent=f"fake:{bench.home}/answers.json")


def changes(bench: Bench, node: str = "") -> list[ChangedFile]:
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        history = History.read(run)
        lines = history.lines()
        if node:
            return [*changed_by_node(run.blobs, lines, history.changes_of, node)]
        return [*changed_by_run(run.blobs, lines, history.changes_of)]


def test_by_the_run_as_a_whole(bench: Bench) -> None:
    ran(bench)
    found = {row.change.path: (row.change.change, row.before, row.after) for row in changes(bench)}
    assert found == {
        "old": ("modified", b"before\n", b"after\n"),
        "new": ("added", None, b"new\n"),
        "gone": ("deleted", b"bye\n", None),
        "link": ("modified", b"old", b"new"),
    }
    assert all(row.kept and not row.folder for row in changes(bench))


def test_by_one_stage_undone_changes_too(bench: Bench) -> None:
    ran(bench)
    assert {row.change.path for row in changes(bench, "one")} == {"old", "new", "gone", "link"}
    (refused,) = changes(bench, "two")
    assert (refused.kept, refused.folder, refused.after) == (False, "nodes/two/1.1", b"no\n")
    assert changes(bench, "nobody") == []
