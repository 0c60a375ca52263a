"""The history of a Subversion repository: one process prints the patches of all revisions.

Another one prints what stands with them, so that no message can be taken for the next revision.
No diff program of the user's is run, and nobody is asked for a password.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlsplit

from custody.errors import Refused, UsageError
from custody.logbook.change import PATCH_LIMIT, HistoryChange
from custody.logbook.records import Meta, PatchFormat
from custody.logbook.streams import StreamPart, parts, reading
from custody.patterns import later
from custody.store.places import is_file

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_SCHEMES = ("file", "http", "https", "svn", "svn+ssh")
_SETTINGS = ("config:helpers:diff-cmd=", "config:helpers:diff-extensions=-u")
_RULE = b"-" * 72
_MARK = b"\n" + _RULE + b"\nr"
"""Begins a revision: no two lines of a patch are like that."""
_HEAD = later(rb"([0-9]+) \|[^\n]*\n\n?")
_HEAD_LIMIT = 1 << 16
_NOTHING = b"\n"
"""Stands where a revision has changed no file: it has made a folder, or the like."""
_BINARY = b"\nCannot display: file marked as a binary type."


class SvnHistory:
    """The revisions of a repository, or of a folder in one."""

    def __init__(self, place: str, *, limit: int = PATCH_LIMIT) -> None:
        """Reach it; raises `UsageError` when that cannot be."""
        self._limit = limit
        self._environment = _environment(os.environ)
        target = _target(place)
        try:
            self.location = self._told_of("url", target)
            self.uuid = self._told_of("repos-uuid", self.location)
            self.head = int(self._told_of("revision", self.location))
        except Refused as refused:
            hint = "a url, a working copy or a repository of Subversion"
            raise UsageError(refused.what, where=place, hint=hint) from refused

    def changes(self, first: int, last: int) -> Iterator[HistoryChange]:
        """Yield what each revision from ``first`` to ``last`` changed here, in order.

        Of a patch that is too large the paths are told, and of these, if they are too many, how
        many there are.
        """
        if first > last:
            return
        for about, printed in zip(
            self._described(first, last), self._printed(first, last), strict=True
        ):
            if about.number != printed.number:
                raise self._odd(printed.number, "")
            if printed.size <= self._limit:
                binary = printed.text.count(_BINARY)
                meta: Meta = {"binary_files": binary} if binary else {}
                yield _change(about, printed.text, "diff", meta)
            else:
                yield self._cut(about, printed.size)

    def _cut(self, about: _About, size: int) -> HistoryChange:
        meta: Meta = {"cut": "too_large", "diff_bytes": size}
        part = self._part("diff", "--summarize", "-c", str(about.number))
        if part.size <= self._limit:
            text = part.text.replace(self.location.encode(), b".")
            return _change(about, text, "diffstat", meta)
        text = f"{part.lines} paths changed\n".encode()
        return _change(about, text, "ministat", meta)

    def _part(self, *words: str) -> StreamPart:
        """Return what svn prints about the url as a whole, as far as it is kept."""
        number = words[-1]
        command = self._words(*words, f"{self.location}@{number}")
        with reading(command, cwd="/", environment=self._environment) as printing:
            [part] = parts(printing.pieces(), b"\0\0 no such line", self._limit)
        return part

    def _printed(self, first: int, last: int) -> Iterator[_Printed]:
        words = ("log", "--quiet", "--diff", "--internal-diff", "-r", f"{first}:{last}")
        command = self._words(*words, f"{self.location}@{last}")
        before = first - 1
        with reading(command, cwd="/", environment=self._environment) as printing:
            stream = chain((b"\n",), printing.pieces())
            printed = parts(stream, _MARK, self._limit + _HEAD_LIMIT)
            nothing = next(printed).text.strip(b"\n")
            for part in printed:
                found = _revision(part)
                if nothing or found is None or not before < found.number <= last:
                    raise self._odd(before, printing.complaint())
                before = found.number
                yield found

    def _described(self, first: int, last: int) -> Iterator[_About]:
        from xml.etree.ElementTree import XMLPullParser

        command = self._words("log", "--xml", "-r", f"{first}:{last}", f"{self.location}@{last}")
        parser: Any = XMLPullParser(("end",))
        with reading(command, cwd="/", environment=self._environment) as printing:
            for piece in printing.pieces():
                parser.feed(piece)
                for _, element in parser.read_events():
                    if element.tag == "logentry":
                        yield _about(element)
                        element.clear()

    def _odd(self, after: int, complaint: str) -> Refused:
        what = f"svn told nothing that can be read after revision {after}: {complaint}"
        return Refused("program", what, where=self.location)

    def _told_of(self, item: str, target: str) -> str:
        """Return what svn says of a target, in whose name an ``@`` begins no revision."""
        return self._ask("info", "--show-item", item, f"{target}@")

    def _ask(self, *words: str) -> str:
        with reading(self._words(*words), cwd="/", environment=self._environment) as asked:
            return asked.all().decode(errors="replace").strip()

    def _words(self, *words: str) -> list[str]:
        settings = chain.from_iterable(("--config-option", said) for said in _SETTINGS)
        return ["svn", words[0], "--non-interactive", *settings, *words[1:]]


class _About(NamedTuple):
    """What stands with a revision."""

    number: int
    committed_at: str
    subject: str


class _Printed(NamedTuple):
    """The patch of a revision."""

    number: int
    text: bytes
    size: int
    """Of the whole patch."""


def _about(element: Element) -> _About:
    lines = (element.findtext("msg") or "").strip().splitlines()
    at = element.findtext("date") or ""
    return _About(
        number=int(element.get("revision", "0")),
        committed_at=f"{at[:19]}Z" if at else "",
        subject=lines[0] if lines else "",
    )


def _revision(part: StreamPart) -> _Printed | None:
    """Read what stands between two marks; its last line ended with the first byte of one."""
    head = _HEAD.match(whole := part.text + b"\n")
    if head is None:
        return None
    text = whole[head.end() :].removesuffix(_RULE + b"\n")
    text = b"" if text == _NOTHING else text
    return _Printed(int(head[1]), text, len(text) if part.size < len(whole) else part.size)


def _change(about: _About, text: bytes, form: PatchFormat, meta: Meta) -> HistoryChange:
    return HistoryChange(str(about.number), about.committed_at, about.subject, {}, text, form, meta)


def _target(place: str) -> str:
    """Return what svn is asked about; raises `UsageError` for an address that it must not have."""
    scheme, colon, _ = place.partition("://")
    if not colon:
        path = os.path.abspath(place)
        return f"file://{quote(path)}" if is_file(f"{path}/format") else path
    parsed = urlsplit(place)
    if scheme not in _SCHEMES or not place.isprintable():
        hint = f"known: {', '.join(f'{name}://' for name in _SCHEMES)}"
        raise UsageError(f"{place!r} is not the address of a repository", hint=hint)
    if parsed.password is not None:
        hint = "let svn keep it: `svn info URL` once"
        raise UsageError("an address of a repository holds no password", hint=hint)
    return place


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for svn: it speaks English, and ssh asks nobody."""
    ssh = variables.get("SVN_SSH", "ssh -o BatchMode=yes")
    return {**variables, "LC_ALL": "C.UTF-8", "TZ": "UTC", "SVN_SSH": ssh}
