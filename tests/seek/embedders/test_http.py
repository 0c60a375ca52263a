"""Vectors of a server: what it is sent, and what of its answers is believed."""

from __future__ import annotations

import math
from typing import Any

import pytest

from custody.errors import CustodyError, SeekFailed, UsageError
from custody.seek.embedders import Passage
from custody.seek.embedders.http import BATCH, LONGEST, HttpEmbedder
from support.embedding_server import Change, embeddings, letters
from support.servers import refusing_port


def passages(*texts: str) -> list[Passage]:
    return [Passage(text, {}) for text in texts]


@pytest.mark.req("E-10")
def test_vectors_come_back_in_the_order_of_their_texts_with_length_1() -> None:
    with embeddings() as server:
        embedder = HttpEmbedder(server.url, "letters")
        assert (embedder.dimension, embedder.model) == (26, "http:letters:26")
        first, second = embedder.embed(passages("aab", "zz"))
        assert list(first)[:2] == pytest.approx([2 / math.sqrt(5), 1 / math.sqrt(5)])
        assert list(second) == [0.0] * 25 + [1.0]
        assert list(embedder.embed_query(passages("zzz")[0])) == list(second)


def test_a_request_has_the_model_and_so_many_texts_at_most() -> None:
    with embeddings() as server:
        embedder = HttpEmbedder(server.url, "letters")
        found = embedder.embed(passages(*(f"{'a' * number}b" for number in range(BATCH + 3))))
    probe, full, rest = server.asked
    assert (len(probe.body["input"]), len(full.body["input"]), len(rest.body["input"])) == (
        1,
        BATCH,
        3,
    )
    assert full.body["model"] == "letters"
    assert full.head.startswith("POST /v1/embeddings HTTP/1.1\r\n")
    assert "authorization" not in full.head.lower()
    assert len(found) == BATCH + 3
    (first, *_), (last, *_) = found[BATCH], found[BATCH + 2]
    assert last > first


def test_an_empty_text_is_like_nothing_and_not_sent() -> None:
    with embeddings() as server:
        embedder = HttpEmbedder(server.url, "letters")
        empty, said = embedder.embed(passages(" \n", "a"))
        assert [list(vector) for vector in embedder.embed(passages(""))] == [[0.0] * 26]
    assert list(empty) == [0.0] * 26
    assert list(said) == [1.0, *[0.0] * 25]
    assert [asked.body["input"] for asked in server.asked[1:]] == [["a"]]


def test_a_long_text_is_cut() -> None:
    with embeddings() as server:
        HttpEmbedder(server.url, "letters").embed(passages("a" * (LONGEST + 1)))
    assert len(server.asked[-1].body["input"][0]) == LONGEST


def test_the_token_is_sent_within_this_machine_or_by_tls() -> None:
    with embeddings() as server:
        HttpEmbedder(server.url, "letters", token="hush")
    assert "Authorization: Bearer hush\r\n" in server.asked[0].head
    with pytest.raises(UsageError) as caught:
        HttpEmbedder("http://embeddings.example/v1/embeddings", "letters", token="hush")
    assert "hush" not in f"{caught.value}{caught.value.hint}"


def without_last(said: dict[str, Any]) -> object:
    return {**said, "data": said["data"][:-1]}


def shorter_for_b(said: dict[str, Any]) -> object:
    rows = [
        {**row, "embedding": row["embedding"][: 25 if row["embedding"] == letters("b") else 26]}
        for row in said["data"]
    ]
    return {**said, "data": rows}


def endless_for_b(said: dict[str, Any]) -> object:
    rows = [
        {**row, "embedding": [1e308] * 26 if row["embedding"] == letters("b") else row["embedding"]}
        for row in said["data"]
    ]
    return {**said, "data": rows}


def twice_the_first(said: dict[str, Any]) -> object:
    return {**said, "data": [{**row, "index": 0} for row in said["data"]]}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (without_last, "given 2 texts"),
        (twice_the_first, "given 2 texts"),
        (shorter_for_b, "numbers"),
        (endless_for_b, "no length"),
    ],
)
def test_what_does_not_fit_its_texts_is_not_taken(change: Change, told: str) -> None:
    changed: list[Change] = []
    with embeddings(lambda said: changed[0](said) if changed else said) as server:
        embedder = HttpEmbedder(server.url, "letters")
        changed.append(change)
        with pytest.raises(SeekFailed) as caught:
            embedder.embed(passages("a", "b"))
    assert caught.value.code == "embedder"
    assert told in caught.value.what
    assert caught.value.where == server.url


@pytest.mark.parametrize(
    "change",
    [
        lambda _: {"data": []},
        lambda _: {"data": [{"index": 0, "embedding": []}]},
        lambda _: {"data": [{"index": 0, "embedding": ["a"]}]},
        lambda _: {"data": [{"index": 0, "embedding": None}]},
        lambda _: {"error": "no"},
        lambda _: [],
    ],
)
def test_what_is_no_answer_is_told(change: Change) -> None:
    with embeddings(change) as server, pytest.raises(SeekFailed) as caught:
        HttpEmbedder(server.url, "letters")
    assert caught.value.code == "embedder"


def test_a_server_that_fails_is_told() -> None:
    with embeddings(status="500 No") as server, pytest.raises(SeekFailed) as caught:
        HttpEmbedder(server.url, "letters")
    assert "(status)" in caught.value.what
    with refusing_port() as port, pytest.raises(CustodyError) as refused:
        HttpEmbedder(f"http://127.0.0.1:{port}/v1/embeddings", "letters")
    assert "(connect)" in refused.value.what
