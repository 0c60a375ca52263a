"""From a request to a context pack, or to the reason why there can be none.

1. The mandatory documents come first, whole, in the order of their list, on the budget.
2. Then the needs, in the order of the request: each is served whole, or named with one reason. Of
   several pieces of one file all are served, or none.
3. Then suggestions, each as lines of a file that is still the one that was meant.
4. A file for which there is not room enough is cut between two characters and marked; a need for
   lines is never cut.

A byte of the budget is a byte of a content in UTF-8 as it stands in the pack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from custody.errors import MalformedDocument, PathRefused, SeekFailed, StorageFailed
from custody.model.contracts.change_settings import ChangeSettings
from custody.model.contracts.context_pack import (
    CONTEXT_PACK,
    ContextPack,
    Omission,
    OmissionReason,
    PackedFile,
    PackFailure,
)
from custody.model.contracts.file_request import PackBudget
from custody.model.relpath import RelPath
from custody.patterns import later
from custody.store.change_settings import change_settings
from custody.store.root import Root
from custody.workspace.pack.failure import (
    NoPack,
    pack_failure,
    refuse_missing,
    refuse_small_budget,
)
from custody.workspace.pack.reading import Excerpt, NoRoom, TooFar, beginning, lines, measured
from custody.workspace.pack.request import PackRequest, Suggestion, WantedFile, read_request
from custody.workspace.pack.shelf import Shelf
from custody.workspace.pack.sight import PackSight

MANDATORY = ("AGENTS.md", "ai_context/00_AI_CONTRACT.md", "ai_context/CTCP_FAST_RULES.md")
"""Without each of them no pack is made."""
IF_PRESENT = ("docs/00_CORE.md", "PATCH_README.md")
"""Mandatory where a repository has them."""
REASON_LIMIT = 80
"""Characters of the request's reason that stand beside a file."""

_SLUG = later(r"[^a-z0-9._-]+")
_OMITTED: dict[str, OmissionReason] = {
    "missing": "not_found",
    "too_long": "invalid_request",
    "directory": "invalid_request",
}
"""What a refusal of the file system means; whatever is not listed is denied."""


class Suggest(NamedTuple):
    """Who may suggest lines."""

    digest: str
    """Of the index that is asked: it stands in the pack, since the pack depends on it."""
    of: Callable[[str], Iterable[Suggestion]]
    """Returns lines for a goal; raises `SeekFailed`."""


def make_pack(
    root: Root,
    request: bytes,
    *,
    name: str = "",
    hidden: Iterable[str] = (),
    suggest: Suggest | None = None,
) -> ContextPack | PackFailure:
    """Answer a request from the repository at ``root``.

    ``name`` is what it is called where it does not say so itself, ``hidden`` are further paths
    that are not shown. ``suggest`` is asked for lines that may fill what room is left.
    """
    try:
        asked = _asked(request)
        settings = _settings(root)
        librarian = _Librarian(PackSight(root, hidden), root, asked)
        librarian.add_mandatory(settings.documents)
        for wanted in asked.wanted:
            librarian.add(wanted)
        if suggest is not None:
            librarian.add_suggested(suggest)
        return librarian.pack(_slug(settings.slug or name))
    except NoPack as stopped:
        return stopped.failure
    except SeekFailed as error:
        return pack_failure("index", str(error), hint=error.hint)
    except StorageFailed as error:
        return pack_failure("storage", str(error), hint=error.hint)


def _asked(request: bytes) -> PackRequest:
    try:
        return read_request(request, where="")
    except MalformedDocument as error:
        hint = "`custody schema file_request` says what a request must hold"
        raise NoPack(pack_failure("request_invalid", error.what, hint=hint)) from None


def _settings(root: Root) -> ChangeSettings:
    try:
        return change_settings(root)
    except MalformedDocument as error:
        raise NoPack(pack_failure("settings_invalid", str(error), hint=error.hint)) from None


class _Librarian:
    """A pack that is being filled."""

    def __init__(self, sight: PackSight, root: Root, asked: PackRequest) -> None:
        self._sight = sight
        self._root = root
        self._shelf = Shelf(root, sight)
        self._asked = asked
        self._budget = asked.envelope.budget
        reason = " ".join(asked.envelope.reason.split())[:REASON_LIMIT].rstrip()
        self._why = f"requested:{reason}" if reason else "requested"
        self._files: list[PackedFile] = []
        self._omitted: list[Omission] = []
        self._used = 0
        self._mandatory = 0
        self._index = ""
        self._whole: set[RelPath] = set()
        """Files that the pack holds to their end."""
        self._served: set[tuple[RelPath, tuple[tuple[int, int], ...]]] = set()

    @property
    def _room(self) -> int:
        return self._budget.max_total_bytes - self._used

    def add_mandatory(self, further: Iterable[str]) -> None:
        """Put the mandatory documents in; raises `NoPack` when one is missing or they do not fit.

        All of them are looked at first, so that one answer names everything that is wrong.
        """
        documents = _parsed((*MANDATORY, *IF_PRESENT, *further))
        found, missing, denied = dict[RelPath, Excerpt](), list[str](), list[str]()
        for document in documents:
            try:
                found[document] = self._mandatory_text(document)
            except PathRefused as refused:
                if _OMITTED.get(refused.code) != "not_found":
                    denied.append(str(document))
                elif str(document) not in IF_PRESENT:
                    missing.append(str(document))
        refuse_missing(missing, denied)
        needed = PackBudget(
            max_files=len(found), max_total_bytes=sum(text.size for text in found.values())
        )
        refuse_small_budget(self._budget, needed, map(str, found))
        for document, text in found.items():
            self._put(document, text, "mandatory_contract")
            self._whole.add(document)
        self._mandatory = len(found)

    def _mandatory_text(self, document: RelPath) -> Excerpt:
        if self._sight.denies(document):
            raise PathRefused("denied", "it is not shown", where=str(document))
        keep = self._budget.max_total_bytes
        return self._shelf.read(document, lambda descriptor, _size: measured(descriptor, keep))

    def add(self, wanted: WantedFile) -> None:
        """Serve one need, or say why not."""
        reason = self._serve(wanted)
        if reason is not None:
            self._omitted.append(Omission(path=wanted.path, reason=reason))

    def add_suggested(self, suggest: Suggest) -> None:
        """Serve what an index suggests for the goal; raises `SeekFailed`."""
        before = len(self._files)
        self._why = f"found:{suggest.digest[:12]}"
        envelope = self._asked.envelope
        for one in suggest.of(f"{envelope.goal}\n{envelope.reason}"):
            if (wanted := self._meant(one)) is not None:
                self.add(wanted)
            else:
                self._omitted.append(Omission(path=one.path, reason="not_found"))
        found = len(self._files) - before
        self._index = f" Of the index {suggest.digest}: {found} found."

    def _meant(self, one: Suggestion) -> WantedFile | None:
        """Return the lines of a file as a need; None where the file is another by now."""
        try:
            file = RelPath.parse(one.path)
            if self._sight.denies(file):
                return WantedFile(one.path, is_git=True)
            sha256, _ = self._root.digest(file)
        except PathRefused:
            return None
        if sha256 != one.sha256:
            return None
        return WantedFile(one.path, file, whole=False, ranges=(one.lines,))

    def _serve(self, wanted: WantedFile) -> OmissionReason | None:
        file = wanted.file
        if file is None:
            return "denied" if wanted.is_git else "invalid_request"
        if self._sight.denies(file):
            return "denied"
        if file in self._whole or (file, wanted.ranges) in self._served:
            return "irrelevant"  # the pack holds it already
        try:
            return self._serve_whole(file) if wanted.whole else self._serve_lines(file, wanted)
        except PathRefused as refused:
            return _OMITTED.get(refused.code, "denied")

    def _serve_whole(self, file: RelPath) -> OmissionReason | None:
        room = self._room
        text = self._shelf.read(file, lambda descriptor, size: beginning(descriptor, size, room))
        if self._is_full(1) or (text.cut and not text.text):
            return "budget_exceeded"
        self._put(file, text, self._why)
        self._served.add((file, ()))
        if not text.cut:
            self._whole.add(file)
        return None

    def _serve_lines(self, file: RelPath, wanted: WantedFile) -> OmissionReason | None:
        ranges, room = wanted.ranges, self._room
        full = wanted.too_many or self._is_full(len(ranges))
        try:
            pieces = self._shelf.read(
                file,
                lambda descriptor, _size: [] if full else lines(descriptor, ranges, room),
            )
        except NoRoom:
            return "budget_exceeded"
        except TooFar:
            return "too_large"
        if full:
            return "budget_exceeded"
        for text in pieces:
            self._put(file, text, f"{self._why} [{_named(text.lines)}]")
        self._served.add((file, ranges))
        return None

    def _is_full(self, more: int) -> bool:
        return len(self._files) + more > self._budget.max_files

    def _put(self, file: RelPath, text: Excerpt, why: str) -> None:
        self._used += text.size
        self._files.append(
            PackedFile(path=str(file), why=why, content=text.text, truncated=text.cut)
        )

    def pack(self, slug: str) -> ContextPack:
        """Return what was put together."""
        return ContextPack(
            schema_version=CONTEXT_PACK,
            goal=self._asked.envelope.goal,
            repo_slug=slug,
            summary=self._summary(),
            files=tuple(self._files),
            omitted=tuple(self._omitted),
        )

    def _summary(self) -> str:
        budget = self._budget
        cut = sum(file.truncated for file in self._files)
        counted = Counter(omission.reason for omission in self._omitted)
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(counted.items()))
        omitted = f"{len(self._omitted)}: {reasons}" if reasons else "nothing"
        return (
            f"{len(self._files)} of {budget.max_files} files, "
            f"{self._used} of {budget.max_total_bytes} bytes, "
            f"{self._mandatory} mandatory, {cut} truncated. Omitted {omitted}."
            f"{self._index}"
        )


def _parsed(documents: Iterable[str]) -> dict[RelPath, None]:
    """Return the documents, each once; raises `NoPack` for a path that no file can have."""
    found = dict[RelPath, None]()
    for document in documents:
        try:
            found[RelPath.parse(document)] = None
        except PathRefused as refused:
            hint = "correct [change] documents in the repository's settings"
            raise NoPack(pack_failure("settings_invalid", refused.what, hint)) from None
    return found


def _named(numbers: tuple[int, int]) -> str:
    first, last = numbers
    if not last:
        return "empty file"
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _slug(name: str) -> str:
    return _SLUG.sub("-", name.lower()).strip("-.") or "repository"
