"""What became of blocks, for a person."""

from __future__ import annotations

import pytest

from custody.cli.render.ingests import SHOWN_BLOCKS, blocks, ingests
from custody.model.documents import IngestedDocument
from custody.model.ingest import BlockNote
from custody.model.verdict import Verdict

DOCUMENT = IngestedDocument(
    node="a",
    doc_path="docs/a.md",
    written=(BlockNote(index=0, line=3, file="a.py", replaced="0" * 64),),
    skipped=(BlockNote(index=1, line=9, file="", reason="no_file", detail="no file is named"),),
    rejected=(BlockNote(index=2, line=12, file="../x", reason="traversal", detail="it leaves"),),
    findings=(
        Verdict(check="artifacts", allowed=False, code="python", reason="no", subject="a.py"),
    ),
    problems=("the disk is full",),
)


@pytest.mark.req("U-10")
def test_every_block_has_its_line_and_reason_the_worst_first() -> None:
    assert [line.text for line in ingests([DOCUMENT])] == [
        "from docs/a.md: 1 written, 1 skipped, 1 rejected",
        "  failed    the disk is full",
        "  rejected  line 12  ../x: it leaves (traversal)",
        "  skipped   line 9  a block: no file is named (no_file)",
        "  written   line 3  a.py, in place of what was there",
        "  odd       a.py: no",
    ]


def test_a_document_without_blocks_says_what_was_looked_for() -> None:
    nothing = IngestedDocument(node="a", doc_path="docs/a.md")
    assert [line.text for line in ingests([nothing])] == [
        "from docs/a.md: no block",
        "  no block has the form ```LANG file=PATH",
    ]


def test_long_lists_are_cut_unless_all_is_wanted() -> None:
    notes = tuple(BlockNote(index=n, line=n, file=f"{n}.py") for n in range(100))
    many = IngestedDocument(node="a", doc_path="d", written=notes, more=7)
    short, whole = list(blocks(many, whole=False)), list(blocks(many, whole=True))
    assert (len(short), len(whole)) == (SHOWN_BLOCKS + 1, 100)
    assert short[-1].text == "… and 80 lines more"
    assert next(iter(ingests([many]))).text == "from d: 100 written, and 7 more"
