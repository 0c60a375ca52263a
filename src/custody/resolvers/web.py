"""Pages of the servers that were named for evidence, by `custody.egress.fetch`."""

from __future__ import annotations

from collections.abc import Mapping

from custody.checks.guards.web_address import PORTS
from custody.egress.fetch import FetchPolicy, fetch
from custody.egress.public_address import Resolve, ask_system
from custody.errors import FetchFailed, ResolveFailed, StorageFailed
from custody.evidence import Content, failure
from custody.evidence.uri import HttpsUri
from custody.model.own_settings import OwnHttps
from custody.resolvers import LIMIT, SECONDS
from custody.store.root import read_file

_MEANS = {
    "url": failure.REFUSED,
    "scheme": failure.REFUSED,
    "domain": failure.REFUSED,
    "plain_http": failure.REFUSED,
    "private_address": failure.REFUSED,
    "too_large": failure.TOO_LARGE,
}
"""What a failure of `fetch` means; any other is ``unreachable``."""
_NOTHING_THERE = (404, 410)
_NO_RIGHT = (401, 403)


def read_page(
    settings: OwnHttps,
    uri: HttpsUri,
    environment: Mapping[str, str],
    *,
    resolve: Resolve = ask_system,
) -> Content:
    """Return what a server has there, of any type; raises `ResolveFailed`."""
    try:
        page = fetch(uri.text, policy_of(settings, environment, where=uri.text), resolve=resolve)
    except FetchFailed as failed:
        code = _MEANS.get(failed.code, failure.UNREACHABLE)
        code = failure.GONE if failed.status in _NOTHING_THERE else code
        what = f"{failed.what} ({failed.code})"
        hint = _hint(failed, settings, environment)
        raise ResolveFailed(code, what, where=uri.text, hint=hint) from None
    return Content.of(page.data)


def policy_of(settings: OwnHttps, environment: Mapping[str, str], *, where: str) -> FetchPolicy:
    """Return where one may go, with the tokens of the environment; raises `ResolveFailed`."""
    tokens: list[tuple[str, str]] = []
    for server, variable in settings.tokens.items():
        token = environment.get(variable, "")
        if not (token.isascii() and token.isprintable()):
            what = f"what {variable} holds cannot be sent as a token"
            raise ResolveFailed(failure.UNREACHABLE, what, where=where)
        tokens.append((_endpoint(server), token))
    return FetchPolicy(
        domains=settings.servers,
        private=settings.private,
        max_bytes=LIMIT,
        seconds=SECONDS,
        any_content=True,
        authorities=_authorities(settings.ca_file, where) if settings.ca_file else "",
        tokens=tuple(tokens),
    )


def _hint(failed: FetchFailed, settings: OwnHttps, environment: Mapping[str, str]) -> str:
    unset = [name for name in settings.tokens.values() if not environment.get(name)]
    if failed.code == "domain":
        return "name its server in `servers` of [evidence.https] in your own configuration"
    if failed.status in _NO_RIGHT and unset:
        return f"the environment has no {unset[0]}, which is to hold a token"
    return failed.hint


def _endpoint(server: str) -> str:
    has_port = ":" in server.rpartition("]")[2]
    return server.lower() if has_port else f"{server.lower()}:{PORTS['https']}"


def _authorities(file: str, where: str) -> str:
    try:
        return read_file(file).decode("ascii")
    except (StorageFailed, UnicodeDecodeError) as error:
        what = f"the certificates of {file} cannot be read: {getattr(error, 'what', 'no PEM')}"
        raise ResolveFailed(failure.UNREACHABLE, what, where=where) from None
