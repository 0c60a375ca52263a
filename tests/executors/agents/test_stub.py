"""The stub acknowledges, and changes nothing."""

from __future__ import annotations

from custody.executors.agents.stub import AGENT, RESPONSE, StubAgent
from support.bench import Bench
from support.stages import StageSite, agent_request, named


def test_every_prompt_gets_the_same_answer(place: StageSite) -> None:
    for _ in range(2):
        ack = StubAgent().work(agent_request("stub"), place.stage())
        assert (ack.status, ack.notes) == ("ok", "stub")
        assert place.read(named(ack.evidence)["response.md"]) == RESPONSE
    assert place.files == {}


def test_it_needs_no_confinement(bench: Bench) -> None:
    assert not AGENT.starts_programs
    result = bench.run('a [prompt="x"] start -> a -> done', agent="stub")
    assert result.summary.status == "PASS"
    assert bench.facts()[0].confinement is None  # type: ignore[union-attr]
