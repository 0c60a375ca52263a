"""What an agent that only answers with text may change, and how."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import MalformedDocument
from custody.executors.edits import fenced_files
from custody.executors.patch import read_patch

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


class TestPatch:
    def test_a_change(self) -> None:
        (file,) = read_patch(PATCH)
        assert file.apply("one\ntwo\nthree\nfour\n") == "one\nzwei\nthree\nfour\n"

    @pytest.mark.parametrize("content", ["one\nTWO\nthree\n", "", "zero\none\ntwo\nthree\n"])
    def test_nothing_is_guessed(self, content: str) -> None:
        (file,) = read_patch(PATCH)
        with pytest.raises(MalformedDocument, match="does not hold"):
            file.apply(content)

    def test_a_new_file_without_a_last_newline(self) -> None:
        text = (
            "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n"
            "@@ -0,0 +1 @@\n+hi\n\\ No newline at end of file\n"
        )
        (file,) = read_patch(text)
        assert (file.path, file.creates, file.apply("")) == ("n", True, "hi")

    def test_a_deletion(self) -> None:
        text = (
            "diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n"
            "@@ -1 +0,0 @@\n-hi\n"
        )
        (file,) = read_patch(text)
        assert (file.path, file.deletes, file.apply("hi\n")) == ("n", True, "")

    @pytest.mark.parametrize(
        "line", ["rename from a", "old mode 100644", "GIT binary patch", "copy to b"]
    )
    def test_what_it_cannot_do_is_refused(self, line: str) -> None:
        with pytest.raises(MalformedDocument, match="not supported"):
            read_patch(f"diff --git a/a b/a\n{line}\n")

    @given(st.text(alphabet=" +-@\\a0,1\n", max_size=80))
    def test_any_text_is_read_or_refused(self, text: str) -> None:
        with suppress(MalformedDocument):
            for file in read_patch(f"diff --git a/a b/a\n{text}"):
                file.apply("a\n")
