"""Documents of a run."""

from __future__ import annotations

import pytest

from custody import api
from custody.model.event import GuardrailViolation
from support.bench import Bench


@pytest.mark.req("I-01")
@pytest.mark.parametrize("path", ["docs/a.md", "audits/deep/er/b.md"])
def test_a_document_is_written_whole(bench: Bench, path: str) -> None:
    bench.run(
        f'w [type=write_file, output_path="{path}", content="for $goal\\n"]\nstart -> w -> done'
    )
    assert bench.path(path).read_text() == "for ship it\n"


@pytest.mark.req("I-01")
@pytest.mark.parametrize(
    "path", ["notes.md", "docs", "docs/../x", "/etc/x", "workspace/docs/x", "doc/x", "docs\\\\x"]
)
def test_a_document_elsewhere_is_a_finding(bench: Bench, path: str) -> None:
    name = bench.pipeline(
        f'w [type=write_file, output_path="{path}", content="x"]\nstart -> w -> done'
    )
    _pipeline, findings = api.check(name)
    assert [finding.severity for finding in findings] == ["error"]


@pytest.mark.req("I-01")
def test_a_path_that_only_a_variable_makes_wrong_is_refused(bench: Bench) -> None:
    result = bench.run(
        'w [type=write_file, output_path="docs/${name}", content="x"]\nstart -> w -> done',
        graph='var.name="ok.md"',
        variables={"name": "../../escape.md"},
    )
    assert result.summary.status == "FAIL"
    violation = next(f for f in bench.facts() if isinstance(f, GuardrailViolation))
    assert violation.verdicts[0].code == "traversal"
    assert not list(bench.home.rglob("escape.md"))


def test_writing_twice_keeps_both_texts(bench: Bench) -> None:
    bench.run(
        'w [type=write_file, output_path="docs/a.md", content="same"]\n'
        'a [prompt="x", test.outcome_sequence="fail,success"]\n'
        'start -> w -> a\na -> w [condition="outcome=fail"]\na -> done'
    )
    assert bench.path("nodes/w/1.1/document.md").read_text() == "same"
    assert bench.path("nodes/w/2.1/document.md").read_text() == "same"
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
