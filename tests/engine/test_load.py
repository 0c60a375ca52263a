"""A pipeline is named by a path or a word, written out, or handed over as it was read."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from custody.engine.load import check, load
from custody.errors import PipelineInvalid, UsageError
from custody.model.graph import Pipeline
from support.bench import Bench
from support.lists import OVER_RANGE, part

TEXT = "digraph p { start [shape=Mdiamond] done [shape=Msquare] start -> done }"


@pytest.mark.req("U-17")
def test_a_path_a_text_and_a_pipeline_mean_the_same(tmp_path: Path) -> None:
    path = tmp_path / "p.dot"
    path.write_text(TEXT)
    read = load(path)
    assert [load(str(path)), load(TEXT), load(read)] == [read, read, read]


def test_a_word_is_a_packaged_pipeline_and_a_path_object_never(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "write" in load("single").nodes
    with pytest.raises(UsageError, match="no pipeline at 'single'"):
        load(Path("single"))


def test_findings_of_a_text_have_their_place() -> None:
    _, findings = check(TEXT.replace("start ->", "begin ->"))
    assert findings[0].line == 1
    with pytest.raises(PipelineInvalid, match=r"^text: 3 findings forbid running it"):
        load(TEXT.replace("start ->", "begin ->"))


def test_the_parts_of_a_text_are_looked_for_from_the_current_folder(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    part(bench)
    text = Path(bench.pipeline(OVER_RANGE.format(more=""))).read_text()
    monkeypatch.chdir(bench.home)
    read = load(text)
    assert set(read.parts) == {"tasks"}
    monkeypatch.chdir("/")
    assert load(read) == read, "a pipeline that was read has its parts with it"


def test_a_packaged_pipeline_that_was_read_can_be_handed_over() -> None:
    read = load("team")
    assert load(read) == read


@pytest.mark.req("U-17")
def test_a_pipeline_that_was_changed_behind_its_text_is_refused() -> None:
    read = load(TEXT)
    changed: Pipeline = replace(read, name="other")
    with pytest.raises(UsageError, match="is not what its text says"):
        load(changed)


def test_a_name_that_is_nearly_a_packaged_one_is_told() -> None:
    with pytest.raises(UsageError, match="no pipeline at 'fix_tset'") as caught:
        load("fix_tset")
    assert caught.value.hint == "did you mean 'fix_test'?"
    with pytest.raises(UsageError) as caught:
        load("folder/fix_tset.dot")
    assert "did you mean" not in caught.value.hint
