"""Evidence uris: which there are, read and built exactly.

    memory://patch_blobs/<source_type>/<source_id>/<sha256>
    memory://attachments/<attachment_id>/<sha256>
    memory://docs/<rel_path>/<sha256>
    file:///<absolute path>
    git://<repository>/<revision>/<path>
    svn://<repository>/<path>@<revision>
    https://<server>/<path>

Each reads into a record whose ``text`` is what was read, and each builder gives what reads into the
same parts. Names are escaped by `custody.evidence.escape`, and by nothing else. A
repository is a name that the configuration knows; no uri names a program, an option or a password.

Codes of `UriRefused`: ``E_SCHEME`` for a scheme that is not among these, ``E_MALFORMED``,
``E_TRAVERSAL`` for a ``..`` in a path, ``E_OUTSIDE`` for one in a ``file`` uri, ``E_INVALID_ID``,
``E_INVALID_SHA256``, ``E_LEGACY_FORMAT`` for an attachment as older systems wrote it,
``E_NOT_MEMORY`` and ``E_NOT_ATTACHMENTS`` where that kind was asked for.
"""

from __future__ import annotations

from typing import TypeAlias

from custody.errors import PathRefused, UriRefused
from custody.evidence.escape import MALFORMED, climbs, escaped, escaped_path, plain
from custody.model.record import Record
from custody.model.relpath import RelPath
from custody.patterns import later

SCHEME = "E_SCHEME"
TRAVERSAL = "E_TRAVERSAL"
OUTSIDE = "E_OUTSIDE"
INVALID_ID = "E_INVALID_ID"
INVALID_SHA256 = "E_INVALID_SHA256"
LEGACY_FORMAT = "E_LEGACY_FORMAT"
NOT_MEMORY = "E_NOT_MEMORY"
NOT_ATTACHMENTS = "E_NOT_ATTACHMENTS"
SCHEMES = ("memory", "file", "svn", "git", "https")
LONGEST = 8192
HIGHEST_ID = 2**63 - 1

_SCHEME = later(r"([A-Za-z][A-Za-z0-9+.-]*):(//)?")
_SHA256 = later(r"[0-9a-f]{64}")
_ID = later(r"[1-9][0-9]{0,18}")
_SOURCE_TYPE = later(r"[a-z][a-z0-9_-]{0,31}")
_REPOSITORY = later(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}(?::[0-9]{1,5})?")
_GIT_REVISION = later(r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
_SVN_REVISION = later(r"0|[1-9][0-9]{0,17}")
_SERVER = later(r"(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_TARGET = later(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*")
_HIGHEST_PORT = 65535
_CLIMBING = (TRAVERSAL, "a `..` component leaves the root")


class PatchBlobUri(Record, frozen=True):
    """A patch that the logbook points at."""

    text: str
    source_type: str
    source_id: str
    """Decoded."""
    sha256: str


class AttachmentUri(Record, frozen=True):
    """An attachment that the logbook points at."""

    text: str
    attachment_id: int
    sha256: str


class DocUri(Record, frozen=True):
    """A document below a root for documents."""

    text: str
    path: str
    """Relative to the root, decoded."""
    sha256: str


class FileUri(Record, frozen=True):
    """A file of this machine."""

    text: str
    path: str
    """Absolute, decoded."""


class GitUri(Record, frozen=True):
    """A file as one commit of a repository has it."""

    text: str
    repository: str
    """The name that the configuration gives it."""
    revision: str
    path: str


class SvnUri(Record, frozen=True):
    """A file as one revision of a Subversion repository has it."""

    text: str
    repository: str
    """The name that the configuration gives it: a server, or any other."""
    path: str
    revision: int


class HttpsUri(Record, frozen=True):
    """A page of the web."""

    text: str


EvidenceUri: TypeAlias = (
    PatchBlobUri | AttachmentUri | DocUri | FileUri | GitUri | SvnUri | HttpsUri
)


def parse(text: str) -> EvidenceUri:
    """Return what a uri says; raises `UriRefused`."""
    if len(text) > LONGEST:
        raise UriRefused(MALFORMED, f"it has more than {LONGEST} characters", where=text[:80])
    found = _SCHEME.match(text)
    if found is None:
        raise UriRefused(MALFORMED, "it starts with no scheme", where=text, hint=_known())
    scheme = found[1].lower()
    if scheme not in SCHEMES:
        what = f"the scheme {scheme!r} is refused"
        raise UriRefused(SCHEME, what, where=text, hint=_known())
    if found[2] is None:
        raise _malformed(text, f"`//` does not follow `{found[1]}:`")
    return _READERS[scheme](text, text[found.end() :])


def parse_attachment_evidence_uri(text: str) -> AttachmentUri:
    """Return an attachment's uri; raises `UriRefused` for any other, and tells which it is not."""
    uri = parse(text)
    if not isinstance(uri, PatchBlobUri | AttachmentUri | DocUri):
        raise UriRefused(NOT_MEMORY, "it does not point into the logbook", where=text)
    if not isinstance(uri, AttachmentUri):
        raise UriRefused(NOT_ATTACHMENTS, "it points at no attachment", where=text)
    return uri


def build_evidence_uri(source_type: str, source_id: str, sha256: str) -> str:
    """Return the uri of a patch; raises `UriRefused` for parts that no such uri has."""
    built = f"memory://patch_blobs/{escaped(source_type)}/{escaped(source_id)}/{sha256}"
    return parse(built).text


def build_attachment_evidence_uri(attachment_id: int, sha256: str) -> str:
    """Return the uri of an attachment; raises `UriRefused`."""
    return parse(f"memory://attachments/{attachment_id}/{sha256}").text


def build_docs_evidence_uri(rel_path: str, sha256: str) -> str:
    """Return the uri of a document by its path below the root; raises `UriRefused`."""
    return parse(f"memory://docs/{escaped_path(rel_path)}/{sha256}").text


def build_file_uri(path: str) -> str:
    """Return the uri of a file by its absolute path; raises `UriRefused`."""
    return parse(f"file://{escaped_path(path)}").text


def build_git_uri(repository: str, revision: str, path: str) -> str:
    """Return the uri of a file in a commit; raises `UriRefused`."""
    return parse(f"git://{repository}/{revision}/{escaped_path(path)}").text


def build_svn_uri(repository: str, path: str, revision: int) -> str:
    """Return the uri of a file in a revision; raises `UriRefused`."""
    return parse(f"svn://{repository}/{escaped_path(path)}@{revision}").text


def _memory(text: str, rest: str) -> EvidenceUri:
    kind, _, inner = rest.partition("/")
    match kind:
        case "patch_blobs":
            return _patch_blob(text, inner)
        case "attachments":
            return _attachment(text, inner)
        case "docs":
            return _doc(text, inner)
    what = f"memory:// holds no {kind[:80]!r}"
    raise _malformed(text, what, hint="known: patch_blobs, attachments, docs")


def _patch_blob(text: str, rest: str) -> PatchBlobUri:
    parts = rest.split("/")
    if len(parts) != 3 or not all(parts):  # noqa: PLR2004 - type, id and hash
        hint = "memory://patch_blobs/<source_type>/<source_id>/<sha256>, a `/` in the id as %2F"
        raise _malformed(text, "it is no type, id and hash", hint=hint)
    source_type, source_id, sha256 = parts
    if _SOURCE_TYPE.fullmatch(source_type) is None:
        raise _malformed(text, f"{source_type!r} is no type of a source")
    name = plain(source_id, where=text)
    return PatchBlobUri(
        text=text, source_type=source_type, source_id=name, sha256=_hash(text, sha256)
    )


def _attachment(text: str, rest: str) -> AttachmentUri:
    parts = rest.split("/")
    if len(parts) == 3 and all(parts):  # noqa: PLR2004 - namespace, id and hash
        hint = "memory://attachments/<attachment_id>/<sha256>"
        raise UriRefused(LEGACY_FORMAT, "it names a namespace", where=text, hint=hint)
    if len(parts) != 2:  # noqa: PLR2004 - id and hash
        raise _malformed(text, "it is no id and hash")
    number, sha256 = parts
    if _ID.fullmatch(number) is None or int(number) > HIGHEST_ID:
        what = f"{number[:80]!r} is no id of an attachment"
        hint = "an id is a positive number in decimal digits"
        raise UriRefused(INVALID_ID, what, where=text, hint=hint)
    return AttachmentUri(text=text, attachment_id=int(number), sha256=_hash(text, sha256))


def _doc(text: str, rest: str) -> DocUri:
    path, slash, sha256 = rest.rpartition("/")
    if not slash:
        raise _malformed(text, "it is no path and hash")
    return DocUri(text=text, path=_relative(text, path), sha256=_hash(text, sha256))


def _file(text: str, rest: str) -> FileUri:
    if not rest.startswith("/"):
        raise _malformed(text, "a file's uri starts with `file:///`")
    path = _path(text, rest[1:], climbing=(OUTSIDE, "a path with `..` may lead anywhere"))
    return FileUri(text=text, path=f"/{path}")


def _git(text: str, rest: str) -> GitUri:
    repository, _, inner = rest.partition("/")
    revision, _, path = inner.partition("/")
    _known_repository(text, repository)
    if _GIT_REVISION.fullmatch(revision) is None or revision.endswith((".", ".lock")):
        hint = "git://<repository>/<commit>/<path>"
        raise _malformed(text, f"{revision[:80]!r} is no revision", hint=hint)
    path = _path(text, path)
    return GitUri(text=text, repository=repository, revision=revision, path=path)


def _svn(text: str, rest: str) -> SvnUri:
    repository, _, inner = rest.partition("/")
    path, at, revision = inner.rpartition("@")
    _known_repository(text, repository)
    if not at or _SVN_REVISION.fullmatch(revision) is None:
        hint = "svn://<repository>/<path>@<number>"
        raise _malformed(text, "it ends with no revision", hint=hint)
    path = _path(text, path)
    return SvnUri(text=text, repository=repository, path=path, revision=int(revision))


def _https(text: str, rest: str) -> HttpsUri:
    server, slash, target = rest.partition("/")
    if _SERVER.fullmatch(server) is None:
        what = f"{server[:80]!r} is no server"
        raise _malformed(text, what, hint="no user, no password, a name in ASCII")
    port = server.rpartition("]")[2].rpartition(":")[2] if ":" in server else ""
    if port.isdecimal() and not 0 < int(port) <= _HIGHEST_PORT:
        raise _malformed(text, f"there is no port {port}")
    if _TARGET.fullmatch(slash + target) is None:
        raise _malformed(text, "a blank, a fragment, or what must be percent-encoded")
    return HttpsUri(text=text)


_READERS = {"memory": _memory, "file": _file, "git": _git, "svn": _svn, "https": _https}


def _relative(text: str, path: str) -> str:
    """Return a path below the root for documents, decoded: one that every system has."""
    names = _path(text, path)
    try:
        return str(RelPath.parse(names))
    except PathRefused as refused:
        raise _malformed(text, refused.what) from None


def _path(text: str, path: str, climbing: tuple[str, str] = _CLIMBING) -> str:
    """Return a path, decoded; one that climbs is told apart.

    What a repository holds may be called as no file should be that is written anew: such a name
    is a fact, and only looked up.
    """
    names = [plain(segment, where=text) for segment in path.split("/")]
    joined = "/".join(names)
    if climbs(joined):
        code, what = climbing
        raise UriRefused(code, what, where=text)
    if any(name in {"", "."} or "/" in name for name in names):
        raise _malformed(text, "an empty or `.` component, or a slash in a name")
    return joined


def _known_repository(text: str, name: str) -> None:
    if _REPOSITORY.fullmatch(name) is None:
        raise _malformed(text, f"{name[:80]!r} is no name of a repository")


def _hash(text: str, sha256: str) -> str:
    if _SHA256.fullmatch(sha256) is None:
        what = f"{sha256[:80]!r} is no SHA-256"
        hint = "64 hexadecimal digits, in small letters"
        raise UriRefused(INVALID_SHA256, what, where=text, hint=hint)
    return sha256


def _known() -> str:
    return f"known: {', '.join(f'{scheme}://' for scheme in SCHEMES)}"


def _malformed(text: str, what: str, *, hint: str = "") -> UriRefused:
    return UriRefused(MALFORMED, what, where=text, hint=hint)
