"""The search is measured on its own history: a leg that helps is chosen, one that hurts goes."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from custody.errors import SeekFailed
from custody.logbook import Database
from custody.seek.chunkers import chunk_diff
from custody.seek.configured import index_of
from custody.seek.embedders import Level, Passage, Vector
from custody.seek.evaluate import ENOUGH, Trial, choose, confidence, evaluate
from custody.seek.exact_vectors import ExactVectors
from custody.seek.fit import settle
from custody.seek.index import Index, Model
from custody.seek.questions import Question
from custody.seek.records import Cut, Query, Weights

pytestmark = pytest.mark.req("E-10")
PLACES = (
    "kitchen",
    "cellar",
    "attic",
    "garden",
    "garage",
    "hall",
    "bridge",
    "tower",
    "mill",
    "shed",
)
THINGS = ("lamp", "chair", "clock", "door", "table", "mirror", "ladder", "kettle", "carpet", "bowl")


def change(number: int) -> Cut:
    """Return a change of one thing in one place."""
    place, thing = PLACES[number // 10], THINGS[number % 10]
    lines = f"-{thing} = old\n+{thing} = new\n place = {place}\n"
    diff = f"--- a/{place}.txt\n+++ b/{place}.txt\n@@ -1,2 +1,2 @@\n{lines}"
    chunks = chunk_diff(content=diff, source_type="git", source_id=f"1:{number}")
    first = chunks[0]
    return Cut(
        artifact_uri=first.artifact_uri,
        sha256=first.sha256,
        source_id=first.source_id,
        source_type="git",
        kind="patch",
        chunks=tuple(chunks),
    )


def asked(numbers: Sequence[int]) -> list[Question]:
    return [
        Question(f"renew the {THINGS[one % 10]} of our {PLACES[one // 10]}", f"1:{one}")
        for one in numbers
    ]


class Misleading:
    """An embedder whose vectors have nothing to do with the texts."""

    model = "misleading:1"
    dimension = 8
    level: Level = "source"

    def embed(self, passages: Sequence[Passage]) -> Sequence[Vector]:
        """Return a direction of chance for each text, always the same."""
        return [_unit(random.Random(one.text)) for one in passages]

    def embed_query(self, passage: Passage) -> Vector:
        """Return another one."""
        return _unit(random.Random(f"?{passage.text}"))


def _unit(chance: random.Random) -> list[float]:
    numbers = [chance.gauss(0, 1) for _ in range(Misleading.dimension)]
    length = sum(number * number for number in numbers) ** 0.5
    return [number / length for number in numbers]


def test_a_leg_that_hurts_is_switched_off_and_it_is_said(opened: Database) -> None:
    index = Index(opened, Model("misleading:1", Misleading(), ExactVectors(8)))
    index.put([change(number) for number in range(100)])
    before = Weights(vectors=3.0)
    index.set_weights(before)
    found = evaluate(index, asked(range(0, 100, 2)), asked(range(1, 100, 2)))
    assert found.weights.vectors == 0
    assert "vectors" in found.switched_off
    assert found.test.mrr == found.words.mrr == 1.0
    assert found.before.mrr < 1.0, "they do hurt"
    assert index.weights() == before, "nothing is kept"
    index.set_weights(found.weights)
    answer = index.search(Query(text="the lamp of the kitchen"))
    assert answer.legs == ("words",)
    [note] = answer.notes
    assert note.startswith("words only: the vectors are switched off, chosen on 50 changes")
    assert index.weights() == found.weights


def test_vectors_that_are_fitted_take_part(opened: Database) -> None:
    pytest.importorskip("numpy")
    index = index_of(opened)
    index.put([change(number) for number in range(100)])
    assert index.model.vectors is not None
    settle(opened, index.model.vectors)
    found = evaluate(index, asked(range(0, 100, 2)), asked(range(1, 100, 2)))
    assert (found.dev.queries, found.test.queries) == (50, 50)
    assert found.test.mrr > 0.9
    assert found.gain.low <= found.gain.difference <= found.gain.high
    assert "with vectors" in found.weights.why


def test_too_few_questions_choose_nothing(opened: Database) -> None:
    index = Index(opened)
    index.put([change(number) for number in range(100)])
    found = evaluate(index, asked(range(ENOUGH - 1)), asked(range(50, 60)))
    assert (found.weights, found.switched_off) == (Weights(), ())
    assert found.notes[0].startswith(f"the weights stay: {ENOUGH - 1} questions are too few")
    assert evaluate(index, [], []).test.queries == 0


def trial(answer: str, **legs: dict[str, float]) -> Trial:
    names = {name for said in legs.values() for name in said}
    return Trial(Question("?", answer), legs, {name: legs["source"].get(name, 0) for name in names})


def test_the_weights_that_are_best_are_chosen_and_the_smaller_of_two() -> None:
    helped = trial("z", source={"z": 0.5, "b": 1.0}, chunk={"z": 1, "b": 1}, vectors={"z": 1.0})
    chosen = choose([helped] * ENOUGH, Weights())
    assert (chosen.vectors, chosen.chunk) == (0.8, 0.0), "0.5 puts both at the same place"
    right = trial("a", source={"a": 1.0, "b": 0.5}, chunk={"a": 1.0}, vectors={"a": 1.0})
    chosen = choose([right] * ENOUGH, Weights())
    assert (chosen.vectors, chosen.chunk) == (0.0, 0.0)
    words = trial("a", source={"a": 1.0, "b": 0.5}, chunk={"a": 1.0})
    assert choose([words] * ENOUGH, Weights(vectors=0.3)).vectors == 0.3, "nobody knows"


def test_a_hit_that_is_wrong_may_look_right() -> None:
    right = trial("a", source={"a": 0.8, "b": 0.2})
    unsure = trial("a", source={"a": 0.4, "b": 0.3})
    misled = trial("a", source={"a": 0.95, "b": 0.9})
    found = confidence([right] * 9 + [misled], [right, unsure, misled, misled], Weights())
    assert (found.questions, found.threshold, found.false) == (4, 0.8, 0.5)


def test_an_index_of_other_versions_is_not_measured(opened: Database) -> None:
    Index(opened, Model("another")).put([change(1)])
    with pytest.raises(SeekFailed):
        evaluate(Index(opened), asked([1]), [])
