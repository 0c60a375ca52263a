"""Pipelines that each nodes run: found, read and judged with the one that names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody import api
from custody.errors import PipelineInvalid
from custody.model.finding import Finding
from custody.pipeline.subpipeline import instance, located

OUTER = (
    'digraph p {{\nstart [shape=Mdiamond]\neach [type=each, items="1..2", {attributes}]\n'
    "done [shape=Msquare]\n{more}\nstart -> each -> done\n}}\n"
)
INNER = (
    "digraph q {\nstart [shape=Mdiamond]\n"
    'a [type=agent_task, prompt="${item} ${index}", output_path="docs/${index}.md"]\n'
    "done [shape=Msquare]\nstart -> a -> done\n}\n"
)


def check(folder: Path, attributes: str, more: str = "", **parts: str) -> tuple[Finding, ...]:
    """Return the findings about a pipeline with parts beside it."""
    for name, text in parts.items():
        (folder / f"{name}.dot").write_text(text)
    (folder / "p.dot").write_text(OUTER.format(attributes=attributes, more=more))
    return api.check(str(folder / "p.dot"))[1]


def names(inner: str, more: str = "") -> str:
    return OUTER.format(attributes=f'pipeline="{inner}"', more=more)


def test_a_good_part_has_nothing_to_say(tmp_path: Path) -> None:
    assert check(tmp_path, 'pipeline="q.dot", max_parallel=4', q=INNER) == ()
    pipeline = api.load(str(tmp_path / "p.dot"))
    assert pipeline.parts["each"].name == "q"
    assert dict(pipeline.sources) == {"q.dot": INNER.encode()}


def test_findings_name_the_file_they_are_in(tmp_path: Path) -> None:
    broken = INNER.replace("${item} ${index}", "${itme}")
    (finding,) = check(tmp_path, 'pipeline="q.dot"', q=broken)
    assert finding.render("p.dot").startswith(
        f"{tmp_path}/q.dot:3:28 template prompt needs 'itme', which has no value"
    )
    with pytest.raises(PipelineInvalid, match=r"q\.dot:3:28 template"):
        api.load(str(tmp_path / "p.dot"))


@pytest.mark.parametrize(
    ("attributes", "code", "message"),
    [
        ('pipeline="none.dot"', "each", "no pipeline at 'none.dot'"),
        ('pipeline="none"', "each", "no pipeline at 'none'"),
        ('pipeline="p.dot"', "each_recursion", "'p.dot' would run itself"),
        ('pipeline="./p.dot"', "each_recursion", "'./p.dot' would run itself"),
        ('pipeline="back.dot"', "each_recursion", "'p.dot' would run itself"),
        ('pipeline="q.dot", max_parallel=0', "attribute", "max_parallel must lie between 1 and 64"),
        ('pipeline="q.dot", max_parallel=65', "attribute", "max_parallel must lie between"),
        ('pipeline="fix_test", max_parallel=2', "each_parallel", "may change the workspace"),
        ("label=x", "attribute", "node 'each' of type each needs 'pipeline'"),
    ],
)
def test_what_cannot_be_run_is_found(
    tmp_path: Path, attributes: str, code: str, message: str
) -> None:
    findings = check(tmp_path, attributes, q=INNER, back=names("p.dot"))
    (finding,) = findings
    assert finding.code == code
    assert message in finding.message


@pytest.mark.parametrize("items", ["", "five", "1..1001", "1..", "0..5000", "context.", "a..b"])
def test_items_that_cannot_be_a_list_are_found(tmp_path: Path, items: str) -> None:
    (tmp_path / "q.dot").write_text(INNER)
    text = names("q.dot").replace('"1..2"', f'"{items}"')
    (tmp_path / "p.dot").write_text(text)
    findings = api.check(str(tmp_path / "p.dot"))[1]
    assert {finding.code for finding in findings} == {"attribute"}


def test_lists_inside_lists_end_somewhere(tmp_path: Path) -> None:
    deep = {f"d{n}": names(f"d{n + 1}.dot") for n in range(1, 4)}
    assert check(tmp_path, 'pipeline="d1.dot"', **deep, d4=INNER) == ()
    (finding,) = check(tmp_path, 'pipeline="d0.dot"', d0=names("d1.dot"))
    assert finding.code == "each_depth"
    both = names(
        "d1.dot",
        'other [type=each, items="1..2", pipeline="d0.dot"]\n'
        'start -> other -> done [condition="context.x=1"]',
    )
    (tmp_path / "both.dot").write_text(both)
    assert {f.code for f in api.check(str(tmp_path / "both.dot"))[1]} == {"each_depth"}


def test_a_name_that_an_item_would_have_is_taken(tmp_path: Path) -> None:
    more = (
        'each.1.a [prompt="x"]\neach.a.1 [prompt="x"]\n'
        'start -> each.1.a -> each.a.1 -> done [condition="context.x=1"]'
    )
    (finding,) = check(tmp_path, 'pipeline="q.dot"', more, q=INNER)
    assert finding.code == "duplicate"


def test_names_stay_short_enough_for_a_folder(tmp_path: Path) -> None:
    long = "n" * 64
    deep = {
        f"d{n}": names(f"d{n + 1}.dot").replace("each", long, 1).replace("-> each", f"-> {long}")
        for n in range(1, 4)
    }
    (finding,) = check(tmp_path, 'pipeline="d1.dot"', **deep, d4=INNER)
    assert finding.code == "each_name"


def test_an_item_is_known_only_inside(tmp_path: Path) -> None:
    more = 'b [prompt="${item} ${item.x} ${index}"]\nstart -> b -> done [condition="context.x=1"]'
    findings = check(tmp_path, 'pipeline="q.dot"', more, q=INNER)
    assert [finding.hint for finding in findings] == [
        "only a pipeline that an each node runs knows it"
    ] * 3


def test_a_part_may_not_call_a_variable_as_its_item_is_called(tmp_path: Path) -> None:
    broken = INNER.replace("start [", "graph [var.index=1]\nstart [", 1)
    (finding,) = check(tmp_path, 'pipeline="q.dot"', q=broken)
    assert finding.code == "attribute"


def test_parts_lie_where_the_file_that_names_them_lies(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "q.dot").write_text(names("../r.dot"))
    assert check(tmp_path, 'pipeline="deep/q.dot"', r=INNER) == ()
    assert [*api.load(str(tmp_path / "p.dot")).sources] == ["deep/q.dot", "r.dot"]


def test_a_stage_is_located_in_its_part(tmp_path: Path) -> None:
    check(tmp_path, 'pipeline="d.dot"', d=names("q.dot"), q=INNER)
    pipeline = api.load(str(tmp_path / "p.dot"))
    inner = pipeline.parts["each"].parts["each"]
    assert located(pipeline, "each.12.each.3.a") == (inner, inner.nodes["a"])
    assert located(pipeline, "each") == (pipeline, pipeline.nodes["each"])
    for nowhere in ("each.0.each.1.a", "each.1", "each.x.a", "each.1.b", "other.1.a"):
        assert located(pipeline, nowhere) is None
    one = instance(inner, "each.1.each.2.")
    assert one.start.id == "each.1.each.2.start"
    assert [edge.target for edge in one.outgoing[one.start.id]] == ["each.1.each.2.a"]
