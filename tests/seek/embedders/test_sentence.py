"""The sentence model that carries its weights: no network, and vectors that tell of meaning."""

from __future__ import annotations

import socket
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from custody.errors import SeekFailed
from custody.seek.embedders import Passage, Vector
from custody.seek.embedders.sentence import DIMENSION, SentenceEmbedder

pytestmark = pytest.mark.skipif(find_spec("wordllama") is None, reason="wordllama is missing")


@pytest.fixture(scope="module")
def embedder() -> SentenceEmbedder:
    return SentenceEmbedder()


def of(embedder: SentenceEmbedder, text: str) -> Vector:
    return embedder.embed_query(Passage(text, {}))


def likeness(one: Vector, other: Vector) -> float:
    return sum(float(a) * float(b) for a, b in zip(one, other, strict=True))


@pytest.mark.req("E-10")
def test_what_means_the_same_is_alike(embedder: SentenceEmbedder) -> None:
    car, automobile, soup = (
        of(embedder, text) for text in ("a fast car", "a quick automobile", "cooking onion soup")
    )
    assert likeness(car, automobile) > likeness(car, soup) + 0.2
    assert len(car) == DIMENSION
    assert likeness(car, car) == pytest.approx(1, abs=1e-4)


def test_the_model_says_its_release(embedder: SentenceEmbedder) -> None:
    assert embedder.model.startswith("wordllama:l2_supercat:256:0.")
    assert (embedder.dimension, embedder.level) == (DIMENSION, "chunk")


def test_a_text_without_words_is_like_nothing(embedder: SentenceEmbedder) -> None:
    assert [float(number) for number in of(embedder, " \n")] == [0.0] * DIMENSION
    assert not list(embedder.embed([]))


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("it goes to the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("HOME", str(tmp_path))
    SentenceEmbedder()
    assert not list(tmp_path.iterdir())


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(SeekFailed) as caught:
        SentenceEmbedder()
    assert (caught.value.code, caught.value.hint) == (
        "embedder",
        "pip install 'custody-runtime[sentence]'",
    )
