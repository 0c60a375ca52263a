r"""Documents of key lines: ``Key: value`` at the beginning of a line, in a text for people.

Reading is tolerant: a byte-order mark, line ends of Windows and any text between the key lines are
as good as none. What counts is one key, spelled exactly, once. A list stands behind the colon,
separated by ``,`` ``;`` or ``|``, or below it as lines ``- item``. What stands in a fence, in a
quote or in an HTML comment is no key line. Findings have these codes, each with its line:

    encoding       bytes that are not UTF-8
    key            a key in other letters (``status:``), or with marks around it (``**Status:**``)
    duplicate_key  a key that stands twice
    value          a value that holds a character nobody sees
    list           items below a key that has a value as well
    missing        a key that must be there
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from custody.model.finding import Finding
from custody.model.unseen import INVISIBLE, unseen
from custody.patterns import later
from custody.pipeline.messages import shown

_T_co = TypeVar("_T_co", covariant=True)

_FENCE = later(r" {0,3}(`{3,}|~{3,})(.*)")
_QUOTE = later(r" {0,3}>")
_KEY = later(r"([A-Za-z][A-Za-z0-9 _/-]*):(.*)")
_LISTED = later(r"[ \t]*(?:[-*+][ \t]+)?([A-Za-z][A-Za-z0-9 _/-]*):(.*)")
_ALMOST = later(r"([ \t#*_`+-]*)([^:]{1,60}?)[*_`]*[ \t]*:")
"""A key with marks before and behind it."""
_ITEM = later(r"[ \t]*(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(.*)")
_SEPARATOR = later(r"[,;|]")
_JOINTS = later(r"[\s_/-]+")
_ID = later(r"(?<![A-Za-z0-9_-])([BR][0-9]{3})(?![A-Za-z0-9_])")
_MARK = "\ufeff"


class ReadDocument(NamedTuple, Generic[_T_co]):
    """A document as far as it could be made out, and what is wrong with it."""

    draft: _T_co
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> _T_co | None:
        """The document; None when something forbids to rely on it."""
        return None if any(one.severity == "error" for one in self.findings) else self.draft


class TextLine(NamedTuple):
    """A line of text that is neither code nor quoted."""

    number: int
    text: str


class ListEntry(NamedTuple):
    """One entry of a list, and its line."""

    text: str
    line: int


class KeyLine(NamedTuple):
    """One key with what it says."""

    key: str
    value: str
    line: int
    below: tuple[TextLine, ...]
    """The lines up to the next key line."""

    @property
    def items(self) -> tuple[ListEntry, ...]:
        """The entries of the list: those behind the colon, else those below it."""
        if self.value:
            return tuple(_split(self.value, self.line))
        return tuple(part for item in self.points for part in _split(item.text, item.line))

    @property
    def points(self) -> tuple[ListEntry, ...]:
        """The lines ``- item`` below it, each whole; blank lines may stand between."""
        found: list[ListEntry] = []
        for number, text in self.below:
            if match := _ITEM.fullmatch(text):
                found.append(ListEntry(match[1].strip(), number))
            elif text[:1] in {" ", "\t"} and text.strip() and found:
                found[-1] = found[-1]._replace(text=f"{found[-1].text} {text.strip()}")
            elif text.strip():
                break
        return tuple(found)


class KeyLines(NamedTuple):
    """The key lines of a document, the first of each key, and what is wrong with them."""

    lines: dict[str, KeyLine]
    findings: tuple[Finding, ...]
    spoiled: frozenset[str]
    """Keys about which there is a finding already."""

    def items(self, key: str) -> tuple[ListEntry, ...]:
        """Return the entries of a list; none where the key is missing."""
        return self.lines[key].items if key in self.lines else ()

    def sound(self, key: str) -> KeyLine | None:
        """Return a key line that nothing is wrong with; None when there is none."""
        return None if key in self.spoiled else self.lines.get(key)

    def missing(self, keys: Iterable[str]) -> Iterator[Finding]:
        """Find keys that are not there, and about which nothing else was found."""
        for key in keys:
            if key not in self.lines and key not in self.spoiled:
                yield at(0, "missing", f"the key {key!r} is missing", f"a line `{key}: …`")


def at(line: int, code: str, message: str, hint: str = "") -> Finding:
    """Return what is wrong with a line."""
    return Finding(code=code, message=message, line=line, column=1 if line else 0, hint=hint)


def decoded(data: bytes) -> tuple[str, tuple[Finding, ...]]:
    """Return a document as text, without its byte-order mark and with plain line ends."""
    found: tuple[Finding, ...] = ()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = (at(line, "encoding", f"byte {error.start} is not UTF-8"),)
        text = data.decode(errors="replace")
    return text.removeprefix(_MARK).replace("\r\n", "\n"), found


def plain_lines(text: str) -> Iterator[TextLine]:
    """Yield the lines of a text that are neither code, nor quoted, nor a comment."""
    fence = ""
    comment = False
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.fullmatch(line)
        if fence:
            closes = mark and mark[1].startswith(fence) and not mark[2].strip()
            fence = "" if closes else fence
        elif comment:
            comment = "-->" not in line
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence = mark[1]
        elif "<!--" in line and "-->" not in line.rpartition("<!--")[2]:
            comment = True
        elif _QUOTE.match(line) is None:
            yield TextLine(number, line)


def read_key_lines(data: bytes, keys: Iterable[str]) -> KeyLines:
    """Read the key lines of a document; only ``keys`` are looked for."""
    text, findings = decoded(data)
    found = key_lines(tuple(plain_lines(text)), frozenset(keys))
    return found._replace(findings=(*findings, *found.findings))


def key_lines(
    lines: tuple[TextLine, ...], keys: frozenset[str], *, listed: bool = False
) -> KeyLines:
    """Return the key lines among ``lines``; where ``listed``, they may be items of a list."""
    pattern = _LISTED if listed else _KEY
    matches = {place: pattern.fullmatch(text) for place, (_, text) in enumerate(lines)}
    starts = {place: match for place, match in matches.items() if match and match[1] in keys}
    ends = (*tuple(starts)[1:], len(lines))
    found: dict[str, KeyLine] = {}
    wrong: list[tuple[str, Finding]] = []
    for (place, match), end in zip(starts.items(), ends, strict=False):
        value = match[2].strip(" \t")
        line = KeyLine(match[1], value, lines[place].number, lines[place + 1 : end])
        if line.key in found:
            what = f"the key {line.key!r} stands in line {found[line.key].line} already"
            wrong.append((line.key, at(line.line, "duplicate_key", what, "leave one of them out")))
        else:
            found[line.key] = line
            wrong += ((line.key, finding) for finding in _judge_value(line))
    others = (line for place, line in enumerate(lines) if place not in starts)
    wrong += _almost(others, keys, found.keys())
    wrong.sort(key=lambda each: each[1].line)
    return KeyLines(
        found, tuple(finding for _, finding in wrong), frozenset(key for key, _ in wrong)
    )


def _judge_value(line: KeyLine) -> Iterator[Finding]:
    for text, number in (ListEntry(line.value, line.line), *line.points):
        if character := unseen(text.replace("\t", " ")):
            what = f"the value of {line.key!r} holds U+{ord(character):04X}, which nobody sees"
            yield at(number, "value", what, "write it anew without that character")
            return
    if line.value and line.below and _ITEM.fullmatch(line.below[0].text):
        what = f"the key {line.key!r} has a value and items below it"
        yield at(line.below[0].number, "list", what, "put all of them on one line, or all below")


def _almost(
    lines: Iterable[TextLine], keys: frozenset[str], there: Collection[str]
) -> Iterator[tuple[str, Finding]]:
    """Find keys in other letters; those with marks before them only where the key is missing."""
    folded = {_folded(key): key for key in keys}
    for number, text in lines:
        match = _ALMOST.match(unicodedata.normalize("NFKC", text))
        key = folded.get(_folded(match[2])) if match else None
        if match is None or key is None or (match[1] and key in there):
            continue
        what = f"the key {key!r} is written {shown(match[0][:-1].strip())}"
        yield key, at(number, "key", what, f"begin the line with `{key}: `")


def _folded(text: str) -> str:
    return _JOINTS.sub("", INVISIBLE.sub("", text).casefold())


def _split(text: str, line: int) -> Iterator[ListEntry]:
    parts = (part.strip(" \t") for part in _SEPARATOR.split(text))
    yield from (ListEntry(_bare(part), line) for part in parts if part)


def _bare(text: str) -> str:
    """Return an entry without the backticks around it."""
    inside = text[1:-1]
    code = len(text) > 2 and text[0] == text[-1] == "`" and "`" not in inside  # noqa: PLR2004
    return inside if code else text


def ids_in(text: str) -> tuple[str, ...]:
    """Return the ids of behaviors and results that a text names, each once."""
    return tuple(dict.fromkeys(_ID.findall(text)))
