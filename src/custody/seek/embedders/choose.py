"""The embedder that a user has set up, where it is not the one that is fitted on the index."""

from __future__ import annotations

from collections.abc import Mapping

from custody.errors import UsageError
from custody.model.own_settings import OwnSeek
from custody.seek.embedders import Embedder


def chosen(own: OwnSeek, environment: Mapping[str, str]) -> Embedder | None:
    """Return the model of a server, or the one of a package; None for ``lsa`` and ``none``.

    Raises `UsageError` where the settings do not say enough, `SeekFailed` as the embedders do.
    """
    if own.embedder == "wordllama":
        from custody.seek.embedders.sentence import SentenceEmbedder

        return SentenceEmbedder()
    if own.embedder != "http":
        return None
    from custody.seek.embedders.http import HttpEmbedder

    if not own.url or not own.model:
        hint = "put `url` and `model` into [seek] of your own configuration"
        raise UsageError("the embedder http needs an address and a model", hint=hint)
    token = environment.get(own.token, "") if own.token else ""
    if own.token and not token:
        raise UsageError(f"the environment has no {own.token}, which is to hold a token")
    return HttpEmbedder(own.url, own.model, token=token)
