"""From bytes to a pipeline: the corpus, the limits, and what no input may do."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import PipelineInvalid
from custody.handlers import catalog as shipped_catalog
from custody.model.finding import Finding
from custody.model.graph import Catalog, Duration, Pipeline
from custody.model.journal_version import VERSIONS
from custody.pipeline.read import SIZE_LIMIT, load_pipeline, read_pipeline
from support.hostile import SUPERSEDED

Read = Callable[[str], tuple[Pipeline | None, tuple[Finding, ...]]]

CORPUS: list[dict[str, Any]] = [
    case
    for case in json.loads((Path(__file__).parents[1] / "hostile" / "corpus.json").read_text())
    if case["surface"] == "pipeline"
]
SMALL = "digraph g { start [shape=Mdiamond]; done [shape=Msquare]; start -> done }"


@pytest.mark.req("P-01", "P-02", "P-05", "P-09", "U-01", "U-18")
@pytest.mark.parametrize("case", CORPUS, ids=[case["id"] for case in CORPUS])
def test_the_corpus(case: dict[str, Any]) -> None:
    verdict, _, code = SUPERSEDED.get(case["id"], case["expect"]).partition(":")
    pipeline, findings = read_pipeline(case["input"].encode(), shipped_catalog())
    if verdict == "accept":
        assert findings == ()
    elif verdict == "warn":
        assert [(finding.code, finding.severity) for finding in findings] == [(code, "warning")]
    else:
        assert code in {finding.code for finding in findings if finding.severity == "error"}
    assert (pipeline is None) is (verdict == "reject")


@pytest.mark.req("P-01")
@pytest.mark.parametrize(
    ("source", "line", "column", "message"),
    [
        (b"digraph g {\n a\xff }", 2, 3, "byte 0xff is not UTF-8"),
        ("digraph g {\n é ".encode() + b"\xc3(", 2, 5, "byte 0xc3 is not UTF-8"),
        (SMALL.encode("utf-16"), 1, 1, "byte 0xff is not UTF-8"),
        (b"digraph g {\n\0}", 2, 1, "control character U+0000"),
        (b'digraph g {\n a [x="\x1b[2J"]}', 2, 8, "control character U+001B"),
        (b"digraph g {\n a\r b}", 2, 3, "control character U+000D"),
        ("digraph g {\n \x9b}".encode(), 2, 2, "control character U+009B"),
    ],
)
def test_what_is_no_text_is_refused_at_its_place(
    source: bytes, line: int, column: int, message: str, catalog: Catalog
) -> None:
    pipeline, findings = read_pipeline(source, catalog)
    assert pipeline is None
    assert (line, column, "syntax", message) in [
        (finding.line, finding.column, finding.code, finding.message) for finding in findings
    ]


def test_a_file_that_is_too_large_is_not_looked_at(catalog: Catalog) -> None:
    pipeline, (finding,) = read_pipeline(b" " * (SIZE_LIMIT + 1), catalog)
    assert pipeline is None
    assert (finding.code, finding.line) == ("too_large", 0)


def test_lines_may_end_as_they_do_on_windows(catalog: Catalog) -> None:
    source = SMALL.replace("; ", "\r\n").replace("{ ", "{\r\n").encode()
    pipeline, findings = read_pipeline(source, catalog)
    assert findings == ()
    assert pipeline is not None
    assert pipeline.nodes["done"].position.line == 3


def test_a_good_pipeline_keeps_its_source(catalog: Catalog) -> None:
    pipeline = load_pipeline(SMALL.encode(), catalog, "g.dot")
    assert (pipeline.name, pipeline.source) == ("g", SMALL.encode())
    assert pipeline.sha256 == hashlib.sha256(SMALL.encode()).hexdigest()
    assert pipeline.start.id == "start"


def test_a_bad_pipeline_cannot_be_loaded(catalog: Catalog) -> None:
    with pytest.raises(PipelineInvalid) as invalid:
        load_pipeline(b"digraph g {\n a -- b\n}", catalog, "bad.dot")
    assert invalid.value.where == "bad.dot"
    assert [f.code for f in invalid.value.findings if isinstance(f, Finding)].count("syntax") == 1


@pytest.mark.req("U-01")
def test_a_warning_does_not_forbid_loading(catalog: Catalog) -> None:
    source = SMALL.replace("start", "unknown_attributes=warn; start", 1)
    source = source.replace("[shape=Mdiamond]", "[shape=Mdiamond, promt=x]")
    loaded = load_pipeline(source.encode(), catalog, "odd.dot", name="odd.dot")
    assert loaded.nodes["start"].text("promt") == "x"
    assert loaded.warnings == ("odd.dot:1:61 type start knows no attribute 'promt'",)


@pytest.mark.req("U-01")
def test_a_pipeline_of_an_earlier_run_is_read_as_it_was(catalog: Catalog) -> None:
    source = SMALL.replace("[shape=Mdiamond]", "[shape=Mdiamond, promt=x]").encode()
    assert read_pipeline(source, catalog)[0] is None
    pipeline, (finding,) = read_pipeline(source, catalog, begun_in=VERSIONS["1.2"])
    assert pipeline is not None
    assert (finding.code, finding.severity) == ("unknown_attribute", "warning")
    named = b"digraph g { start [shape=Mdiamond]; done [shape=Msquare]; start -> a -> done; "
    named += b'a [prompt=x, agent.backend="codex"] }'
    earlier = read_pipeline(named, shipped_catalog(), begun_in=VERSIONS["1.2"])[0]
    now = read_pipeline(named, shipped_catalog())[0]
    assert earlier is not None
    assert now is not None
    assert (earlier.nodes["a"].text("agent"), now.nodes["a"].text("agent")) == ("", "codex")
    assert read_pipeline(source, catalog, begun_in=VERSIONS["1.3"])[0] is not None


@pytest.mark.req("U-18")
def test_a_byte_order_mark_is_passed_over(catalog: Catalog) -> None:
    marked = b"\xef\xbb\xbf" + SMALL.encode()
    pipeline = load_pipeline(marked, catalog, "g.dot")
    assert pipeline.sha256 == hashlib.sha256(marked).hexdigest()
    _, findings = read_pipeline(b"\xef\xbb\xbfdigraph { a -- b }", catalog)
    assert [(f.line, f.column) for f in findings if f.code == "syntax"] == [(1, 13)]
    twice, _ = read_pipeline(b"\xef\xbb\xbf" + marked, catalog)
    assert twice is None


@pytest.mark.req("P-01", "P-02")
@given(data=st.data())
def test_no_input_raises_and_findings_are_in_order(
    data: st.DataObject, soups: st.SearchStrategy[str], catalog: Catalog
) -> None:
    source = data.draw(soups.map(str.encode) | st.binary(max_size=60))
    pipeline, findings = read_pipeline(source, catalog)
    places = [(finding.line, finding.column) for finding in findings]
    assert places == sorted(places)
    assert (pipeline is None) is any(finding.severity == "error" for finding in findings)
    lines = source.decode(errors="replace").split("\n")
    for line, column in places:
        assert (line, column) == (0, 0) or 1 <= column <= len(lines[line - 1]) + 1


@given(data=st.data())
def test_values_come_back_as_they_were_written(
    data: st.DataObject, texts: st.SearchStrategy[str], read: Read
) -> None:
    values = data.draw(
        st.dictionaries(
            st.from_regex(r"x[a-z0-9_.-]{0,8}", fullmatch=True),
            texts | st.integers(-(10**9), 10**9) | st.booleans() | st.sampled_from(DURATIONS),
        )
    )
    written = ",\n".join(f'"{name}" = {dot(value)}' for name, value in values.items())
    source = SMALL.replace("[shape=Msquare]", f"[shape=Msquare, {written}]")
    pipeline, _ = read(source.replace("start", "unknown_attributes=warn; start", 1))
    assert pipeline is not None
    node = pipeline.nodes["done"]
    assert {name: node.get(name) for name in node.attributes if name != "shape"} == values


DURATIONS = [Duration(seconds=s) for s in (0.25, 90.0, 900.0, 7200.0, 86400.0)]


def dot(value: str | int | Duration) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value).lower()


def large(count: int) -> bytes:
    nodes = "".join(f' n{index} [prompt="Do step {index}"]\n' for index in range(count))
    edges = "".join(f" n{index} -> n{index + 1}\n" for index in range(count - 1))
    return (
        "digraph g {\n start [shape=Mdiamond]\n done [shape=Msquare]\n"
        f"{nodes}{edges} start -> n0\n n{count - 1} -> done\n}}\n"
    ).encode()


def test_ten_thousand_nodes_are_read_and_checked_in_linear_time(catalog: Catalog) -> None:
    def best(source: bytes) -> float:
        times = []
        for _ in range(3):
            begun = time.process_time()
            pipeline, findings = read_pipeline(source, catalog)
            times.append(time.process_time() - begun)
            assert pipeline is not None
            assert findings == ()
        return min(times)

    small, big = best(large(1_000)), best(large(10_000))
    assert big < 1.0
    assert big < 25 * small


@pytest.mark.parametrize(
    "text",
    [
        "digraph g {" + "a->" * 100_000,
        "digraph g { a [" + "x=<" * 50_000,
        "digraph g { a # " + "#" * 200_000,
        "digraph g { a [x" + " " * 200_000 + "/" * 200_000,
        "digraph g {" + "".join(f"n{i} [x{i}=1] " for i in range(20_000)) + "}",
        "digraph g {" + "".join(f"a -> u{i} " for i in range(20_000)) + "}",
        'digraph g { a [prompt="' + "${x} ${" * 50_000 + '"] }',
        'digraph g { a -> a [condition="' + "outcome=fail && " * 20_000 + '"] }',
        'digraph g { a [allowed_write_paths="' + "/," * 50_000 + '"] }',
        "digraph g { a [" + "x." * 50_000 + "=1] }",
    ],
    ids=["chain", "html", "marks", "blanks", "unknown", "undeclared", "names", "clauses", "paths",
         "dots"],
)  # fmt: skip
def test_hostile_texts_do_not_take_long(text: str, catalog: Catalog) -> None:
    begun = time.process_time()
    pipeline, findings = read_pipeline(text.encode(), catalog)
    assert pipeline is None
    assert findings
    assert time.process_time() - begun < 5
