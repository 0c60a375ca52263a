"""What an index was made with."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from custody.errors import SeekFailed
from custody.seek.stamp import current, refuse_another


def test_the_stamp_names_every_version() -> None:
    stamp = current("lsa-1-256")
    assert (stamp.tokenizer, stamp.model) == ("words-2", "lsa-1-256")
    assert stamp.chunkers[:3] == ("diff-1", "document-1", "log-1")
    assert stamp.chunkers[3].startswith("code-1-")
    assert "python" not in stamp.chunkers[3]


def test_its_own_stamp_is_taken() -> None:
    refuse_another(current("a"), current("a"), where="here")


@pytest.mark.req("E-10")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tokenizer": "words-0"}, "tokenizer: words-0, now words-2"),
        ({"model": ""}, "model: none, now a"),
        ({"chunkers": ("diff-0",)}, "chunkers: diff-0, now diff-1 "),
    ],
)
def test_any_other_is_refused_with_what_to_do(change: dict[str, str], said: str) -> None:
    wanted = current("a")
    with pytest.raises(SeekFailed, match="other versions") as failed:
        refuse_another(replace(wanted, **change), wanted, where="here")
    assert said in failed.value.what
    assert (failed.value.code, failed.value.where) == ("stamp", "here")
    assert failed.value.hint == "custody seek index --rebuild"
