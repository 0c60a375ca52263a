"""One reference, checked: is there what it points at, unchanged, and does the quote stand in it.

    exact        the content has the sha256, and the excerpt stands where the reference says
    moved        the excerpt stands in the content word for word, but at another place, or what is
                 around it has changed
    changed      another content, and the excerpt does not stand in it
    misquoted    the content has the sha256, and the excerpt does not stand in it; or the reference
                 contradicts itself
    gone         the place was reached, and there is nothing
    unreachable  the place could not be reached, or not read
    refused      no uri, or one to a place that the configuration does not admit

Only ``exact`` is ``valid``: what a reference says of places, and of the source of a patch, must be
true as well. Nothing here tells whether an excerpt supports a claim.
"""

from __future__ import annotations

from typing import Literal

from custody.errors import ResolveFailed, UriRefused
from custody.evidence import Content, Resolver, excerpt, failure
from custody.evidence.excerpt import Range
from custody.evidence.uri import AttachmentUri, DocUri, EvidenceUri, PatchBlobUri, parse
from custody.model.record import Record
from custody.model.reference import EXCERPT_CHARACTERS, EXCERPT_LINES, Reference

State = Literal["exact", "moved", "changed", "misquoted", "gone", "unreachable", "refused"]
Status = Literal["valid", "invalid"]

_STATES: dict[str, State] = {
    failure.GONE: "gone",
    failure.REFUSED: "refused",
    failure.CHANGED: "changed",
}
"""Every other reason for having nothing is ``unreachable``."""


class Checked(Record, frozen=True, omit_defaults=True):
    """What a check of a reference found."""

    artifact_uri: str
    state: State
    status: Status
    reason: str
    """In words; of a valid one too."""
    sha256: str = ""
    """Of what is there now; empty where there is nothing."""
    bytes: Range | None = None
    """Where the excerpt stands now."""
    lines: Range | None = None
    """The lines that it touches there."""


def check(reference: Reference, resolver: Resolver) -> Checked:
    """Resolve a reference, and compare; whatever is wrong with it is told, never raised."""
    try:
        uri = parse(reference.artifact_uri)
        if (wrong := _contradiction(reference, uri)) is not None:
            return _invalid(reference, "misquoted", wrong)
        content = resolver.resolve(uri)
    except UriRefused as refused:
        return _invalid(reference, "refused", f"{refused.what} ({refused.code})")
    except ResolveFailed as failed:
        return _invalid(reference, _STATES.get(failed.code, "unreachable"), failed.what)
    return compare(reference, content)


def compare(reference: Reference, content: Content) -> Checked:
    """Tell how a reference fits a content."""
    has_changed = content.sha256 != reference.sha256
    if not reference.excerpt:
        return _unquoted(reference, content)
    place = _claimed_place(reference, content.data)
    is_claimed = place is not None
    place = place or excerpt.find(content.data, reference.excerpt)
    if place is None:
        state: State = "changed" if has_changed else "misquoted"
        why = f"; {_another(content)}" if has_changed else " in the content"
        return _invalid(reference, state, f"the excerpt does not stand{why}", content)
    if has_changed:
        why = f"the excerpt still stands, but {_another(content)}"
        return _found(reference, content, place, "moved", why)
    if not is_claimed:
        why = "the excerpt stands at another place than the reference says"
        return _found(reference, content, place, "moved", why)
    return _found(reference, content, place, "exact", "found verbatim")


def exact_content(text: str, resolver: Resolver) -> Content:
    """Return what a uri points at, and nothing else than the sha256 that it names, if it names one.

    Raises `UriRefused`, and `ResolveFailed` with ``changed`` for another content.
    """
    uri = parse(text)
    content = resolver.resolve(uri)
    if _named_hash(uri) not in {"", content.sha256}:
        raise ResolveFailed(failure.CHANGED, _another(content), where=text)
    return content


def _contradiction(reference: Reference, uri: EvidenceUri) -> str | None:
    if _named_hash(uri) not in {"", reference.sha256}:
        return "the uri names another sha256 than the reference"
    if isinstance(uri, PatchBlobUri) and _source(reference) != (uri.source_type, uri.source_id):
        return "the uri names another source than the reference"
    if len(reference.excerpt) > EXCERPT_CHARACTERS:
        return f"the excerpt has more than {EXCERPT_CHARACTERS} characters"
    if reference.excerpt.removesuffix("\n").count("\n") >= EXCERPT_LINES:
        return f"the excerpt has more than {EXCERPT_LINES} lines"
    return None


def _source(reference: Reference) -> tuple[str, str]:
    return reference.source_type, reference.source_id


def _named_hash(uri: EvidenceUri) -> str:
    return uri.sha256 if isinstance(uri, PatchBlobUri | AttachmentUri | DocUri) else ""


def _claimed_place(reference: Reference, data: bytes) -> Range | None:
    """Return where the excerpt stands as the reference says; None when it does not."""
    place = reference.bytes
    if place is not None:
        if not excerpt.stands_at(data, reference.excerpt, place):
            return None
    elif reference.lines is not None:
        begin = excerpt.begin_of_line(data, reference.lines[0])
        place = None if begin is None else excerpt.find(data, reference.excerpt, begin)
    else:
        place = excerpt.find(data, reference.excerpt)
    if place is None or reference.lines in {None, excerpt.lines_of(data, *place)}:
        return place
    return None


def _unquoted(reference: Reference, content: Content) -> Checked:
    if content.sha256 != reference.sha256:
        return _invalid(reference, "changed", _another(content), content)
    if reference.bytes not in {None, (0, 0)} or reference.lines is not None:
        return _invalid(reference, "misquoted", "a place is named, and nothing is quoted", content)
    return Checked(
        artifact_uri=reference.artifact_uri,
        state="exact",
        status="valid",
        reason="the content has the sha256; nothing is quoted",
        sha256=content.sha256,
    )


def _found(
    reference: Reference, content: Content, place: Range, state: State, reason: str
) -> Checked:
    return Checked(
        artifact_uri=reference.artifact_uri,
        state=state,
        status="valid" if state == "exact" else "invalid",
        reason=reason,
        sha256=content.sha256,
        bytes=place,
        lines=excerpt.lines_of(content.data, *place),
    )


def _invalid(
    reference: Reference, state: State, reason: str, content: Content | None = None
) -> Checked:
    return Checked(
        artifact_uri=reference.artifact_uri,
        state=state,
        status="invalid",
        reason=reason,
        sha256="" if content is None else content.sha256,
    )


def _another(content: Content) -> str:
    return f"the content's sha256 is {content.sha256}"
