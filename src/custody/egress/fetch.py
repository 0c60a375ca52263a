"""Reads one page of the web, and goes nowhere that was not allowed.

Every address on the way, each redirect too, must be in an allowed domain, by https unless its
server was named for http, and at public addresses unless its server was named as a private one.
The connection goes to an address that was looked at, so a name that changes its meaning leads
nowhere else. Text alone is taken, unless a policy admits any content, up to a size and within a
time, unpacked as well. No cookie and no proxy is used, and no login but a token that was named for
a server: it is sent to that server alone, and only by TLS.

Codes of `FetchFailed`: those of `custody.checks.guards.web_address`, ``plain_http``
``private_address`` ``resolve`` ``connect`` ``tls`` ``timeout`` ``redirect`` ``status``
``content_type`` ``encoding`` ``too_large`` ``protocol``.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import urljoin

from custody.checks.guards.web_address import WebAddress, read_address, refuse_other_domain
from custody.egress.public_address import PinnedAddress, Resolve, addresses_of, ask_system
from custody.errors import FetchFailed, Refused
from custody.version import VERSION

_CHUNK = 1 << 16
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TEXT_TYPES = frozenset({"application/json", "application/xml", "application/xhtml+xml"})
_TEXT_ENDINGS = ("+json", "+xml")
_WANTED = "text/html, text/plain, application/json;q=0.8, text/*;q=0.5"
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
_OK = range(200, 300)


class FetchPolicy(NamedTuple):
    """Where one may go, and how far."""

    domains: tuple[str, ...]
    """Each stands for itself and what is below it; with a port, for that port."""
    plain_http: tuple[str, ...] = ()
    """Servers, as ``host:port``, that may be asked by http."""
    private: tuple[str, ...] = ()
    """Servers, as ``host:port``, that may be at addresses that are not public."""
    max_bytes: int = 2 << 20
    """Of what comes, and of what it unpacks to."""
    seconds: float = 20.0
    """For all of it, redirects included."""
    max_redirects: int = 5
    any_content: bool = False
    """Whether what is no text is taken, too."""
    authorities: str = ""
    """Certificates in PEM that are trusted beside those of the system."""
    tokens: tuple[tuple[str, str], ...] = ()
    """Servers, as ``host:port``, each with the token that it is sent."""


class FetchedPage(NamedTuple):
    """A page as it came."""

    url: str
    """Where it was in the end."""
    content_type: str
    """In small letters, without parameters."""
    charset: str
    data: bytes
    redirects: tuple[str, ...] = ()
    """The addresses that led there, the one that was asked for first."""

    @property
    def text(self) -> str:
        """The page as text; what is none becomes U+FFFD."""
        try:
            return self.data.decode(self.charset, "replace")
        except LookupError:
            return self.data.decode(errors="replace")


def fetch(url: str, policy: FetchPolicy, *, resolve: Resolve = ask_system) -> FetchedPage:
    """Return a page; raises `FetchFailed`."""
    deadline = time.monotonic() + policy.seconds
    passed: list[str] = []
    while True:
        address = _admit(url, policy)
        answer = _ask(address, policy, deadline, resolve)
        if isinstance(answer, FetchedPage):
            return answer._replace(redirects=tuple(passed))
        passed.append(address.url)
        if len(passed) > policy.max_redirects:
            raise FetchFailed("redirect", f"more than {policy.max_redirects} redirects", where=url)
        url = urljoin(address.url, answer)


def _admit(url: str, policy: FetchPolicy) -> WebAddress:
    try:
        address = read_address(url)
        refuse_other_domain(policy.domains, address)
    except Refused as refused:
        raise FetchFailed(refused.code, refused.what, where=url[:200], hint=refused.hint) from None
    if address.scheme == "http" and address.endpoint not in policy.plain_http:
        hint = "ask for it by https"
        raise FetchFailed("plain_http", "it would be read without TLS", where=url, hint=hint)
    return address


def _ask(
    address: WebAddress, policy: FetchPolicy, deadline: float, resolve: Resolve
) -> FetchedPage | str:
    """Return the page, or where else it is; raises `FetchFailed`."""
    private = address.endpoint in policy.private
    left = deadline - time.monotonic()
    found = addresses_of(address.host, address.port, left, private=private, resolve=resolve)
    with _connected(address, found, deadline, policy.authorities) as connection:
        try:
            connection.request("GET", address.target, headers=_headers(address, policy))
            with connection.getresponse() as response:
                answer = _answer(address, response, policy)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if time.monotonic() >= deadline:
                raise _too_slow(address) from None
            what = f"the answer is no HTTP, or breaks off: {type(error).__name__}"
            raise FetchFailed("protocol", what, where=address.url) from None
        except FetchFailed:
            if time.monotonic() >= deadline:
                raise _too_slow(address) from None
            raise
    if time.monotonic() >= deadline:  # what was cut off may look whole
        raise _too_slow(address)
    return answer


def _headers(address: WebAddress, policy: FetchPolicy) -> dict[str, str]:
    headers = {
        "Host": address.server,
        "User-Agent": f"custody/{VERSION}",
        "Accept": "*/*" if policy.any_content else _WANTED,
        "Accept-Encoding": "gzip",
        "Connection": "close",
    }
    token = dict(policy.tokens).get(address.endpoint, "") if address.scheme == "https" else ""
    return {**headers, "Authorization": f"Bearer {token}"} if token else headers


@contextmanager
def _connected(
    address: WebAddress, found: list[PinnedAddress], deadline: float, authorities: str
) -> Iterator[http.client.HTTPConnection]:
    """Connect to the first address that answers; everything ends at the deadline."""
    plain = _connect(address, found, deadline)
    # A server that sends a byte now and then would keep each read within its time.
    watch = threading.Timer(max(deadline - time.monotonic(), 0.0), _cut, (plain,))
    watch.daemon = True
    watch.start()
    stream: socket.socket = plain
    try:
        if address.scheme == "https":
            stream = _secured(plain, address, deadline, authorities)
        connection = http.client.HTTPConnection(address.host, address.port)
        connection.sock = stream
        yield connection
    finally:
        watch.cancel()
        stream.close()
        plain.close()


def _connect(address: WebAddress, found: list[PinnedAddress], deadline: float) -> socket.socket:
    last = "no address"
    for pinned in found:
        plain = socket.socket(pinned.family, socket.SOCK_STREAM)
        try:
            plain.settimeout(max(deadline - time.monotonic(), 0.001))
            plain.connect((pinned.host, pinned.port))
        except OSError as error:
            plain.close()
            last = error.strerror or "it does not answer"
            continue
        return plain
    if time.monotonic() >= deadline:
        raise _too_slow(address)
    raise FetchFailed("connect", f"{address.endpoint}: {last.lower()}", where=address.url)


def _secured(
    plain: socket.socket, address: WebAddress, deadline: float, authorities: str
) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    try:
        if authorities:
            context.load_verify_locations(cadata=authorities)
        return context.wrap_socket(plain, server_hostname=address.host)
    except (OSError, ValueError) as error:
        if time.monotonic() >= deadline:
            raise _too_slow(address) from None
        reason = getattr(error, "verify_message", "") or getattr(error, "reason", "") or "no TLS"
        raise FetchFailed("tls", f"{address.endpoint}: {reason}", where=address.url) from None


def _cut(plain: socket.socket) -> None:
    """End a connection from another thread; whoever reads from it reads its end."""
    try:
        socket.socket.shutdown(plain, socket.SHUT_RDWR)
    except OSError:
        return  # it is closed already


def _answer(
    address: WebAddress, response: http.client.HTTPResponse, policy: FetchPolicy
) -> FetchedPage | str:
    if response.status in _REDIRECTS:
        target = response.getheader("Location") or ""
        if not target:
            raise FetchFailed("redirect", "a redirect that leads nowhere", where=address.url)
        return target
    if response.status not in _OK:
        what = f"the server says {response.status}"
        raise FetchFailed("status", what, where=address.url, status=response.status)
    headers = response.headers
    kind = headers.get_content_type() if "Content-Type" in headers else ""
    is_text = kind.startswith("text/") or kind in _TEXT_TYPES or kind.endswith(_TEXT_ENDINGS)
    if not (is_text or policy.any_content):
        what = f"{kind or 'something without a type'} is no text"
        raise FetchFailed("content_type", what, where=address.url)
    data = b"".join(_body(address, response, policy.max_bytes))
    charset = headers.get_content_charset() or "utf-8"
    return FetchedPage(address.url, kind, charset, data)


def _body(address: WebAddress, response: http.client.HTTPResponse, most: int) -> Iterator[bytes]:
    """Yield the body, unpacked; raises `FetchFailed` as soon as it is too much."""
    packed = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if packed not in {"identity", "gzip", "x-gzip", "deflate"}:
        raise FetchFailed("encoding", f"it is packed as {packed!r}", where=address.url)
    unpack = None if packed == "identity" else zlib.decompressobj(_GZIP_OR_ZLIB)
    came = size = 0
    while chunk := response.read1(_CHUNK):
        came += len(chunk)
        try:
            plain = chunk if unpack is None else unpack.decompress(chunk, most - size + 1)
        except zlib.error:
            what = f"it is not packed as {packed!r}, although it says so"
            raise FetchFailed("encoding", what, where=address.url) from None
        size += len(plain)
        if max(came, size) > most:
            raise FetchFailed("too_large", f"it has more than {most} bytes", where=address.url)
        yield plain
    if unpack is not None and unpack.unused_data:
        what = f"something follows on what is packed as {packed!r}"
        raise FetchFailed("encoding", what, where=address.url)
    declared = response.length
    if declared or (unpack is not None and not unpack.eof):
        raise FetchFailed("protocol", "it breaks off before its end", where=address.url)


def _too_slow(address: WebAddress) -> FetchFailed:
    return FetchFailed("timeout", f"{address.endpoint} took too long", where=address.url)
