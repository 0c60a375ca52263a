"""Which embedder somebody has set up: by his own configuration and his environment alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import MalformedDocument, UsageError
from custody.model.own_settings import OwnSeek
from custody.seek.embedders.choose import chosen
from custody.seek.embedders.http import HttpEmbedder
from custody.seek.embedders.sentence import SentenceEmbedder
from custody.store.own_settings import own_settings
from support.embedding_server import embeddings


def test_what_is_fitted_on_the_index_is_made_elsewhere() -> None:
    assert chosen(OwnSeek(), {}) is None
    assert chosen(OwnSeek(embedder="none"), {}) is None


def test_a_server_is_asked_with_the_token_of_the_environment() -> None:
    with embeddings() as server:
        own = OwnSeek(embedder="http", url=server.url, model="letters", token="EMBEDDINGS")
        assert isinstance(chosen(own, {"EMBEDDINGS": "hush"}), HttpEmbedder)
        assert "Authorization: Bearer hush\r\n" in server.asked[0].head
        with pytest.raises(UsageError) as caught:
            chosen(own, {})
    assert "EMBEDDINGS" in caught.value.what


def test_a_server_needs_an_address_and_a_model() -> None:
    for own in (OwnSeek(embedder="http", url="http://localhost/"), OwnSeek(embedder="http")):
        with pytest.raises(UsageError):
            chosen(own, {})


def test_a_model_of_a_package() -> None:
    pytest.importorskip("wordllama")
    assert isinstance(chosen(OwnSeek(embedder="wordllama"), {}), SentenceEmbedder)


def test_the_settings_are_the_users_own(tmp_path: Path) -> None:
    file = tmp_path / "custody" / "custody.toml"
    file.parent.mkdir()
    file.write_text('[seek]\nembedder = "http"\nurl = "http://localhost:1/"\nmodel = "m"\n')
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert own_settings(environment).seek == OwnSeek(
        embedder="http", url="http://localhost:1/", model="m"
    )
    assert own_settings({**environment, "CUSTODY_EMBEDDER": "none"}).seek.embedder == "none"
    with pytest.raises(MalformedDocument):
        own_settings({**environment, "CUSTODY_EMBEDDER": "anything"})
