"""What an agent that only answers with text may change, and how."""

from __future__ import annotations

import base64
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody import api
from custody.errors import MalformedDocument
from custody.executors.edits import fenced_files
from custody.model.event import GuardrailViolation, RequestAnswered
from custody.model.request import Ack
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, File
from support.bench import Bench
from support.patches import Tree, get_tree, put_tree, written

PATCH = """diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
"""


class TestFences:
    def test_a_fence_that_names_a_file_is_one(self) -> None:
        text = "Here:\n```python file=src/a.py\nprint(1)\n```\n```sh\nls\n```\n"
        (edit,) = fenced_files(text)
        assert (edit.path, edit.content) == ("src/a.py", "print(1)\n")

    def test_a_longer_fence_holds_a_shorter_one(self) -> None:
        (edit,) = fenced_files("````md file=a.md\n```sh\nls\n```\n````\n")
        assert edit.content == "```sh\nls\n```\n"

    def test_a_fence_without_an_end_is_refused(self) -> None:
        with pytest.raises(MalformedDocument, match="no end"):
            fenced_files("```py file=a.py\nprint(1)\n")

    @pytest.mark.parametrize(
        "opening",
        [
            "```py  file=a.py",
            "``` file=a.py",
            '```py file="a.py"',
            "```py file=a.py mode=x",
            "```py file=b.py\n```py file=a.py",
            "```py file=\ud800 x",
        ],
    )
    def test_a_malformed_fence_refuses_the_answer(self, opening: str) -> None:
        with pytest.raises(MalformedDocument, match=r"the fence of .* in line \d: "):
            fenced_files(f"{opening}\nprint(1)\n```\n")

    @pytest.mark.parametrize(
        "opening", ["```py", "~~~py file=a", " ```py file=a", "> ```py file=a"]
    )
    def test_a_fence_that_is_text_about_files_is_passed_over(self, opening: str) -> None:
        end = opening[:3] if opening.startswith("~") else "```"
        assert fenced_files(f"{opening}\nprint(1)\n{end}\n") == ()

    def test_line_ends_and_odd_characters_are_kept(self) -> None:
        (edit,) = fenced_files("```py file=a\r\nx\r\n\x85\u2028\ud800\n```\r\n")
        assert edit.content == "x\r\n\x85\u2028\ud800\n"

    def test_a_file_is_written_once(self) -> None:
        with pytest.raises(MalformedDocument, match="twice"):
            fenced_files("```py file=a\n1\n```\n```py file=a\n2\n```\n")

    @given(st.text())
    def test_any_text_is_read_or_refused(self, text: str) -> None:
        with suppress(MalformedDocument):
            fenced_files(text)


def answered(bench: Bench, answer: str | bytes, tree: Tree, settings: str = "") -> Ack:
    """Let a person answer a run over a tree of files; return what came of it."""
    put_tree(bench.workdir, tree)
    bench.run(f'ask [prompt="Go."{settings}] start -> ask -> done', agent="outbox")
    text = answer if isinstance(answer, str) else answer.decode()
    api.answer("ask/1.1", text, runsdir=str(bench.runsdir))
    api.resume("r1", runsdir=str(bench.runsdir))
    (fact,) = (fact for fact in bench.facts() if isinstance(fact, RequestAnswered))
    return fact.ack


def workspace(bench: Bench) -> Tree:
    return get_tree(bench.path("workspace"))


BEFORE: Tree = {
    b"text": File(REGULAR, b"one\ntwo\nthree\n"),
    b"odd": File(REGULAR, b"form\x0cfeed\ncr\rhere\n\xe2\x80\xa8\n"),
    b"run": File(REGULAR, b"#!/bin/sh\n"),
    b"keep mode": File(EXECUTABLE, b"#!/bin/sh\n"),
    b"binary": File(REGULAR, b"\0old"),
    b"gone": File(REGULAR, b"x\n"),
    b"link": File(SYMLINK, b"text"),
    b"link to file": File(SYMLINK, b"text"),
    b"file to link": File(REGULAR, b"x\n"),
    b"folder/deep/a": File(REGULAR, b"a\n"),
    b"file": File(REGULAR, b"f\n"),
    b"link to folder": File(SYMLINK, b"folder"),
}
AFTER: Tree = {
    b"text": File(REGULAR, b"one\nzwei\nthree\n"),
    b"odd": File(REGULAR, b"form\x0cfeed\ncr\rthere\n\xe2\x80\xa8\n"),
    b"run": File(EXECUTABLE, b"#!/bin/sh\n"),
    b"keep mode": File(EXECUTABLE, b"#!/bin/sh\necho\n"),
    b"binary": File(REGULAR, b"\0new"),
    b"link": File(SYMLINK, b"run"),
    b"link to file": File(REGULAR, b"y\n"),
    b"file to link": File(SYMLINK, b"folder"),
    b"folder": File(REGULAR, b"no folder\n"),
    b"file/below": File(REGULAR, b"below\n"),
    b"link to folder/deep/new": File(REGULAR, b"new\n"),
    b"empty": File(REGULAR, b""),
    b'say "hi"': File(REGULAR, b"quoted\n"),
}
RENAME = "diff --git a/{0} b/{1}\nrename from {0}\nrename to {1}\n"
LINK = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+{}\n"
NO_NEWLINE = "\\ No newline at end of file\n"


@pytest.mark.req("G-04")
class TestPatch:
    def test_everything_that_git_can_tell(self, bench: Bench) -> None:
        assert answered(bench, written(BEFORE, AFTER), BEFORE).status == "ok"
        assert workspace(bench) == AFTER

    def test_renames_and_copies(self, bench: Bench) -> None:
        tree = {b"a": File(EXECUTABLE, b"\0x"), b"b": File(SYMLINK, b"a"), b"c": File(REGULAR, b"")}
        copy = RENAME.replace("rename", "copy").format("a", "e/copy")
        answer = RENAME.format("a", "b") + RENAME.format("b", "new/a") + copy
        assert answered(bench, answer, tree).status == "ok"
        assert workspace(bench) == {
            b"b": tree[b"a"],
            b"new/a": tree[b"b"],
            b"e/copy": tree[b"a"],
            b"c": tree[b"c"],
        }

    @pytest.mark.parametrize("answer", [f"Here:\n```diff\n{PATCH}```\n", PATCH[:-1]])
    def test_in_a_fence_or_without_its_last_newline(self, bench: Bench, answer: str) -> None:
        tree = {b"a.txt": File(REGULAR, b"one\ntwo\nthree\n")}
        assert answered(bench, answer, tree).status == "ok"
        assert workspace(bench) == {b"a.txt": File(REGULAR, b"one\nzwei\nthree\n")}

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (
                PATCH.replace("two", "deux"),
                "response.md: a.txt does not hold what the hunk in line",
            ),
            (PATCH + RENAME.format("x", "y"), "response.md: x is not there"),
            (PATCH + "-- \n2.39.5\n", "response.md: line 10: '-- ' is not the beginning"),
            (PATCH.replace(" three", "three"), "response.md: line 9: 'three' is not a line"),
        ],
    )
    def test_one_that_does_not_fit_changes_nothing(
        self, bench: Bench, answer: str, reason: str
    ) -> None:
        tree = {b"a.txt": File(REGULAR, b"one\ntwo\nthree\n")}
        ack = answered(bench, answer, tree)
        assert ack.status == "failed"
        assert ack.failure_reason.startswith(reason)
        assert workspace(bench) == tree

    @pytest.mark.parametrize(
        ("answer", "subject", "code"),
        [
            (RENAME.format("a", ".env"), ".env", "secret_file"),
            (RENAME.format(".env", "b"), ".env", "secret_file"),
            (RENAME.replace("rename", "copy").format(".env", "b"), ".env", "secret_file"),
            (RENAME.format("a", '"b\\377"').replace('b/"b', '"b/b'), "b\\udcff", "surrogate"),
            (RENAME.format("a", '"b\\nc"').replace('b/"b', '"b/b'), "b\nc", "control"),
        ],
    )
    def test_every_path_goes_through_the_door(
        self, bench: Bench, answer: str, subject: str, code: str
    ) -> None:
        tree = {b"a": File(REGULAR, b"x\n"), b".env": File(REGULAR, b"key\n")}
        ack = answered(bench, answer, tree)
        assert ack.status == "refused"
        assert [(verdict.subject, verdict.code) for verdict in ack.verdicts] == [(subject, code)]
        assert workspace(bench) == tree

    @pytest.mark.parametrize("target", ["/etc/passwd", "../x", "d/../../x"])
    def test_a_symlink_that_leaves_the_workspace_is_refused(
        self, bench: Bench, target: str
    ) -> None:
        tree = {b"a": File(REGULAR, b"x\n")}
        answer = RENAME.format("a", "b") + LINK.format(target) + NO_NEWLINE
        assert answered(bench, answer, tree).status == "ok"
        (violation,) = (fact for fact in bench.facts() if isinstance(fact, GuardrailViolation))
        assert [(v.subject, v.code) for v in violation.verdicts] == [("l", "symlink")]
        assert workspace(bench) == tree

    def test_one_beside_a_fenced_file_is_refused(self, bench: Bench) -> None:
        tree = {b"a.txt": File(REGULAR, b"one\ntwo\nthree\n")}
        fenced = "```text file=b.txt\nb\n```\n"
        ack = answered(bench, f"{fenced}```diff\n{PATCH}```\n", tree)
        assert (ack.status, workspace(bench)) == ("failed", tree)

    def test_nothing_is_written_behind_a_symlink(self, bench: Bench) -> None:
        tree = {b"d/a": File(REGULAR, b"x\n"), b"l": File(SYMLINK, b"d")}
        ack = answered(bench, RENAME.format("d/a", "l/b"), tree)
        assert ack.status == "refused"
        assert workspace(bench) == tree

    def test_the_budget_counts_what_is_written(self, bench: Bench) -> None:
        tree = {b"a": File(REGULAR, b"12345\n")}
        answer = RENAME.replace("rename", "copy").format("a", "b")
        ack = answered(bench, answer, tree, ", outbox.max_total_bytes=5")
        assert (ack.status, ack.failure_reason) == ("refused", "max_total_bytes exceeded: 6 of 5")

    def test_what_was_hidden_is_not_read(self, bench: Bench) -> None:
        hidden = "scripts/scenarios/one.sh"
        copy = RENAME.replace("rename", "copy").format(hidden, "seen").encode()
        tree = {hidden.encode(): File(REGULAR, b"true\n"), b"patch": File(REGULAR, copy)}
        put_tree(bench.workdir, tree)
        node = 'a [prompt="x", local_exec.argv="cat patch"]'
        bench.run(f"{node} start -> a -> done", agent="local_exec")
        (fact,) = (fact for fact in bench.facts() if isinstance(fact, RequestAnswered))
        assert [verdict.code for verdict in fact.ack.verdicts] == ["holdout"]
        assert hidden not in fact.ack.failure_reason
        assert workspace(bench) == tree


def test_a_recorded_answer_can_hold_anything(bench: Bench) -> None:
    data = b"\0\xff"
    book = {
        "schema_version": "1.0",
        "answers": [
            {
                "text": "Done.",
                "edits": [
                    {"path": "binary", "data": base64.b64encode(data).decode(), "executable": True},
                    {"path": "link", "symlink": "binary"},
                    {"path": "text", "content": "hi\n"},
                    {"path": "gone"},
                ],
            }
        ],
    }
    (bench.home / "answers.json").write_text(json.dumps(book))
    put_tree(bench.workdir, {b"gone": File(REGULAR, b"")})
    bench.run('a [prompt="x"] start -> a -> done', agent=f"fake:{bench.home}/answers.json")
    assert workspace(bench) == {
        b"binary": File(EXECUTABLE, data),
        b"link": File(SYMLINK, b"binary"),
        b"text": File(REGULAR, b"hi\n"),
    }
