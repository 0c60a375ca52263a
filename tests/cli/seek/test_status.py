"""``custody seek status``."""

from __future__ import annotations

import pytest

from support.shell import Here


@pytest.mark.req("E-10")
def test_what_the_index_holds(user: Here) -> None:
    empty = user("seek", "status")
    assert empty.code == 0
    assert "made with  nothing yet" in empty.out
    user("seek", "index")
    lines = user("seek", "status").out.splitlines()
    assert lines[1].startswith("sources    3 in 3 pieces, ")
    assert lines[2] == "vectors    0 of lsa-1-256"
    assert lines[3].startswith("made with  words-2 diff-1 document-1 log-1 code-1-")
    assert lines[4] == ("weights    source 1.0, piece 0.7, vectors 0.7: as the release sets them")
    assert lines[5].endswith(f" below {user.folder}")
    assert len(lines[6].split()[1]) == 64
    data = user("seek", "status", "--json").data
    assert (data["status"], data["wrong"], data["unresolved"]) == ("PASS", "", [])
    assert data["index"]["sources"] == 3
