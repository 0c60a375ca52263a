"""Why a fenced block is not taken for a file; the codes never change their meaning."""

from __future__ import annotations

from typing import Final

PLACES: Final = {
    "tilde": "the fence is made of ~",
    "indented": "blanks stand before the fence, or it is indented code",
    "list_item": "the fence begins on the line of a list's mark",
    "quoted_block": "it stands in a block quote",
    "nested": "an opening right below another one is content there",
    "unclosed": "it has no end",
}
"""What is wrong with where a block stands, or how it ends."""
OPENINGS: Final = {
    "control": "a control character or a line separator stands in the opening",
    "no_lang": "no language stands before file=",
    "no_file": "no file is named",
    "bad_key": "another key than file= stands there",
    "bad_lang": "the language has other characters than letters, digits and _+.-",
    "quoted": "the path is wrapped in quotes",
    "extra_attribute": "a second attribute stands there",
    "whitespace": "a blank stands in the path",
    "empty_path": "nothing stands after file=",
    "malformed": "the opening, or the line that should end the block, has not the one form",
}
"""What is wrong with what an opening says; the first rule that it breaks counts."""
REASONS: Final = PLACES | OPENINGS
