"""Gate nodes: asked about what another stage left on record."""

from __future__ import annotations

import json

import pytest

from custody import api
from custody.handlers import catalog
from custody.model.event import GateFailed, GatePassed
from custody.pipeline.read import read_pipeline
from support.bench import Bench

VOTE = (
    'vote [prompt="x", response_context=vote]\n'
    "approved [type=gate, stage=vote, gates=response, "
    'response_schema="{\\"properties\\": {\\"verdict\\": {\\"const\\": \\"yes\\"}}, '
    '\\"required\\": [\\"verdict\\"]}"]\n'
)


def verdicts(bench: Bench) -> list[GatePassed | GateFailed]:
    return [fact for fact in bench.facts() if isinstance(fact, GatePassed | GateFailed)]


def vote(bench: Bench, verdict: str, *, body: str = "start -> vote -> approved -> done") -> str:
    book = bench.home / "answers.json"
    text = f'```json\n{{"verdict": "{verdict}"}}\n```\n'
    book.write_text(json.dumps({"answers": [{"text": text}]}))
    return bench.run(VOTE + body, agent=f"fake:{book}").summary.status


@pytest.mark.req("G-16")
@pytest.mark.parametrize(("verdict", "status"), [("yes", "PASS"), ("not yes", "FAIL")])
def test_a_later_gate_may_be_stricter(bench: Bench, verdict: str, status: str) -> None:
    assert vote(bench, verdict) == status
    judged = [fact for fact in verdicts(bench) if fact.node == "approved"]
    assert [fact.gate for fact in judged] == ["response"]
    assert isinstance(judged[0], GatePassed) is (status == "PASS")
    assert api.replay("r1", runsdir=str(bench.runsdir)).facts == len(bench.facts())


def test_a_stage_that_never_answered_passes_no_gate(bench: Bench) -> None:
    bench.run(
        't [type=tool, tool_command="true"]\n'
        "g [type=gate, stage=t, gates=exit_code]\n"
        "start -> g\ng -> done\ng -> t [weight=-1]\nt -> done"
    )
    (failed,) = (fact for fact in bench.facts() if isinstance(fact, GateFailed))
    assert [verdict.code for verdict in failed.verdicts] == ["not_recorded"]
    assert failed.reason == "no answer of stage t is recorded"


def test_a_gate_without_anything_to_judge_is_not_passed(bench: Bench) -> None:
    bench.run(
        'a [prompt="x", test.outcome=fail]\n'
        "g [type=gate, stage=a, gates=response]\nstart -> a -> g -> done"
    )
    (failed,) = (f for f in bench.facts() if isinstance(f, GateFailed) and f.node == "g")
    assert [verdict.code for verdict in failed.verdicts] == ["not_judged"]


def test_the_last_answer_counts(bench: Bench) -> None:
    (bench.workdir / "try.sh").write_text("test -e done || { touch done; exit 1; }")
    result = bench.run(
        't [type=tool, tool_command="sh try.sh", max_visits=2]\n'
        "g [type=gate, stage=t, gates=exit_code, max_visits=2]\n"
        'start -> t -> g\ng -> t [condition="outcome=fail"]\n'
        'g -> done [condition="outcome=success"]'
    )
    assert result.summary.status == "PASS"
    judged = [type(fact) for fact in verdicts(bench) if fact.node == "g"]
    assert judged == [GateFailed, GatePassed]


def test_inside_a_list_the_items_own_stage_is_judged(bench: Bench) -> None:
    (bench.workdir / "once.sh").write_text("test -e done || { touch done; exit 1; }")
    (bench.home / "part.dot").write_text(
        "digraph part { start [shape=Mdiamond]\n done [shape=Msquare]\n"
        ' t [type=tool, tool_command="sh once.sh"]\n'
        " g [type=gate, stage=t, gates=exit_code]\n start -> t -> g -> done }"
    )
    bench.run('e [type=each, pipeline="part.dot", items="1..2"]\nstart -> e -> done')
    judged = {f.node: type(f) for f in verdicts(bench) if f.gate == "exit_code"}
    assert judged == {
        "e.1.t": GateFailed, "e.1.g": GateFailed, "e.2.t": GatePassed, "e.2.g": GatePassed,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("stage=vote, gates=reponse", "no gate 'reponse'"),
        ("stage=vota, gates=response", "there is no node 'vota'"),
        ("gates=response", "needs 'stage'"),
        ("stage=vote", "needs 'gates'"),
        ('stage=vote, gates=response, response_schema="{"', "response_schema: "),
    ],
)
def test_what_cannot_be_meant_is_found(attributes: str, message: str) -> None:
    text = (
        "digraph p { start [shape=Mdiamond]\n done [shape=Msquare]\n"
        f' vote [prompt="x"]\n g [type=gate, {attributes}]\n start -> vote -> g -> done }}'
    )
    _, findings = read_pipeline(text.encode(), catalog())
    assert [message in finding.message for finding in findings] == [True]
