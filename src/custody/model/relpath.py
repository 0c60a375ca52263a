r"""Relative paths that come from outside: one spelling per file, nothing that surprises.

`RelPath.parse` looks at the text alone; the first rule that the text breaks gives the code:

    empty          no text
    surrogate      bytes that are not UTF-8, or half a surrogate pair
    control        a control character or a line separator
    dotgit         ``.git`` hidden behind characters that some file systems ignore
    absolute       starts at the root of the file system
    drive          starts at a drive, as ``C:x``
    scheme         is a URL
    backslash      ``\`` is a separator elsewhere
    tilde          starts with ``~``
    traversal      a ``..`` component
    noncanonical   an empty or ``.`` component, or a trailing ``/``
    too_deep       more than 32 components
    too_long       a component over 255 bytes, or more than 1024 in all
    bidi           a character that turns the direction in which it reads
    unicode        not NFC, invisible, or a look-alike of a separator or a dot
    denied         git's own directory in any spelling
    reserved       a Windows device name, or a colon
    trailing       a component that ends with a dot or a blank
    leading_dash   a component that a tool would take for an option

What may be written is a second question, answered by `write_policy` for a path and by `forbidden`
for any name that a program left: ``denied`` for files that start programs when someone opens a
shell, an editor or the repository, ``secret_file`` for files that hold keys. Names that differ only
by case are told apart by looking at the disk: `custody.store.root.Root.refuse_case_collision`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, final

import msgspec

from custody.errors import PathRefused
from custody.model.secret_files import NOT_WRITTEN, SECRET_FREE
from custody.model.unseen import BIDI, CONTROL, INVISIBLE
from custody.patterns import later

COMPONENT_BYTES: Final = 255
PATH_BYTES: Final = 1024
DEPTH: Final = 32

_DEVICE = r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])"
_PLAIN_PART = rf"(?!{_DEVICE}(?:[./]|\Z))[a-z0-9_][a-z0-9_.+-]*(?<!\.)"
_PLAIN = later(rf"{_PLAIN_PART}(?:/{_PLAIN_PART})*", re.IGNORECASE | re.ASCII)
"""Most paths: nothing in them can break a rule but their length."""

_SURROGATE = later("[\ud800-\udfff]")
_DRIVE = later(r"[A-Za-z]:")
_SCHEME = later(r"[A-Za-z][A-Za-z0-9+-]+:|[A-Za-z][A-Za-z0-9+.-]+://")
_GIT = later(r"(?:\.git|git~[0-9]+)[. ]*(?::.*)?", re.IGNORECASE | re.DOTALL)
_RESERVED = later(rf"{_DEVICE} *(?:\..*)?|.*:.*", re.IGNORECASE | re.DOTALL)
_PRIVATE = later("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
"""Some file systems store characters that they forbid as these."""
_SLASH_LIKE = later("[\u2044\u2215\u2216\u2571\u2572\u29f5\u29f8\u29f9\u3033\u4e3f]")
_SEPARATORS = frozenset("/\\.")

_START_UP = later(
    r"\.(?:bash_(?:aliases|log(?:in|out)|profile)|bashrc|[ckz]shrc|tcshrc|z(?:log(?:in|out)|profile"
    r"|shenv)|login|logout|profile|envrc|inputrc|ripgreprc|git(?:attributes|config|modules)"
    r"|mcp\.json|[gl]l?dbinit|pdbrc"
    r"|claude|codex|cursor|devcontainer|fleet|gemini|husky|idea|vs|vscode|zed)"
)
"""Start-up files of shells, git and debuggers; folders that editors and agents run things from."""
_SUSPECT = later(r"(?:\A|/)(?:\.|git~)|[^\x00-\x7f]", re.IGNORECASE)
"""What every path has that may not be written: most have it not."""


@final
class RelPath:
    """A relative path that kept every rule. ``parts`` are its components, ``str()`` its text.

    Made by `parse` alone. Equal when spelled the same; sorted by text.
    """

    __slots__ = ("_text",)
    _text: str

    # BEHAVIOR_ID: B006
    @classmethod
    def parse(cls, text: str | bytes) -> RelPath:
        """Return ``text`` as a path; raises `PathRefused` with the code of the broken rule."""
        if isinstance(text, bytes):
            text = text.decode("utf-8", "surrogateescape")
        plain = len(text) <= COMPONENT_BYTES and _PLAIN.fullmatch(text) is not None
        if not plain or text.count("/") >= DEPTH:
            _refuse_text(text)
            parts = text.split("/")
            _refuse_shape(text, parts)
            for part in parts:
                _refuse_part(text, part)
        path = cls.__new__(cls)
        path._text = text  # noqa: SLF001
        return path

    @property
    def parts(self) -> tuple[str, ...]:
        """The components."""
        return tuple(self._text.split("/"))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"RelPath({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RelPath) and other._text == self._text

    def __lt__(self, other: RelPath) -> bool:
        return self._text < other._text

    def __hash__(self) -> int:
        return hash(self._text)


def write_policy(path: RelPath) -> None:
    """Raise `PathRefused` with ``denied`` or ``secret_file`` when nobody should write ``path``.

    Case does not matter, and neither does depth: such a file works in any folder that someone
    opens.
    """
    if found := forbidden(str(path)):
        raise _refusal(found.code, str(path), found.reason)


class Forbidden(msgspec.Struct, frozen=True):
    """Why nobody should write a path."""

    code: str
    """``denied`` or ``secret_file``."""
    reason: str


def forbidden(path: str) -> Forbidden | None:
    """Return why nobody should write ``path``; None when it may be written.

    It may be any path below a root, however it is spelled: names are
    compared as the file system that tells the fewest apart would, so that what is harmless here
    does not become such a file where the work is taken to.
    """
    if _SUSPECT.search(path) is None:
        return None
    return next(filter(None, map(_forbidden_name, path.split("/"))), None)


def _forbidden_name(part: str) -> Forbidden | None:
    plain = part if part.isascii() else INVISIBLE.sub("", _folded(part))
    name = plain.partition(":")[0].rstrip(". ").casefold()
    if _GIT.fullmatch(name):
        return Forbidden("denied", f"{part!r} belongs to git")
    if _START_UP.fullmatch(name):
        return Forbidden("denied", f"{name!r} starts programs when it is found")
    if NOT_WRITTEN.fullmatch(name) and name not in SECRET_FREE:
        return Forbidden("secret_file", f"{name!r} is a place for secrets")
    return None


def caseless(name: str) -> str:
    """Return what is left of a name when neither case nor composition counts.

    This is Unicode's canonical caseless match: two names that a file system may take for one
    have the same.
    """
    if name.isascii():
        return name.lower()
    decomposed = unicodedata.normalize("NFD", name)
    return unicodedata.normalize("NFD", decomposed.casefold())


def _refuse_text(text: str) -> None:
    """Rules about the text as a whole."""
    if not text:
        raise _refusal("empty", text, "it is empty")
    if len(text) > 16 * PATH_BYTES:
        _refuse_shape(text, text.split("/"))  # the rules below are not for megabytes
    if _SURROGATE.search(text):
        raise _refusal("surrogate", text, "it is not UTF-8")
    if found := CONTROL.search(text):
        raise _refusal("control", text, f"U+{ord(found[0]):04X} stands in it")
    if _hides_git(text):
        raise _refusal("dotgit", text, "some file systems take a part of it for .git")
    if text.startswith("/"):
        raise _refusal("absolute", text, "it is absolute")
    if _DRIVE.match(text):
        raise _refusal("drive", text, "it names a drive")
    if _SCHEME.match(text):
        raise _refusal("scheme", text, "it is a URL")
    if "\\" in text:
        raise _refusal("backslash", text, "a backslash is a separator on some systems")
    if text.startswith("~"):
        raise _refusal("tilde", text, "a leading ~ means a home directory")


def _refuse_shape(text: str, parts: list[str]) -> None:
    """Rules about how many components there are, and how long."""
    if ".." in parts:
        raise _refusal("traversal", text, "a .. component leaves the directory")
    if "" in parts or "." in parts:
        raise _refusal("noncanonical", text, "an empty or . component stands in it")
    if len(parts) > DEPTH:
        raise _refusal("too_deep", text, f"it has more than {DEPTH} components")
    if len(text) > PATH_BYTES or len(text.encode()) > PATH_BYTES:
        raise _refusal("too_long", text, f"it has more than {PATH_BYTES} bytes")
    if any(len(part.encode()) > COMPONENT_BYTES for part in parts):
        raise _refusal("too_long", text, f"a component has more than {COMPONENT_BYTES} bytes")


def _refuse_part(text: str, part: str) -> None:
    """Rules about one component."""
    if found := BIDI.search(part):
        raise _refusal("bidi", text, f"U+{ord(found[0]):04X} turns how it reads")
    if not part.isascii() and (reason := _odd_unicode(part)):
        raise _refusal("unicode", text, reason)
    if _GIT.fullmatch(part):
        raise _refusal("denied", text, f"{part!r} belongs to git")
    if _RESERVED.fullmatch(part):
        raise _refusal("reserved", text, f"{part!r} means something else on Windows")
    if part.endswith(".") or part[-1].isspace():
        raise _refusal("trailing", text, f"{part!r} ends with a dot or a blank")
    if part.startswith("-"):
        raise _refusal("leading_dash", text, f"{part!r} looks like an option")


def _hides_git(text: str) -> bool:
    if text.isascii():
        return False
    return any(
        not part.isascii() and _GIT.fullmatch(INVISIBLE.sub("", _folded(part)))
        for part in re.split(r"[/\\]", text)
    )


def _odd_unicode(part: str) -> str:
    """Return what is wrong with the characters of ``part``; empty when nothing is."""
    if not unicodedata.is_normalized("NFC", part):
        return "it is not in the composed form NFC"
    if INVISIBLE.search(part) or _PRIVATE.search(part):
        return "a character in it cannot be seen"
    if _SLASH_LIKE.search(part):
        return "a character in it looks like a separator"
    if any(not c.isascii() and not _SEPARATORS.isdisjoint(_folded(c)) for c in part):
        return "a character in it turns into a separator or a dot"
    return ""


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _refusal(code: str, text: str, reason: str) -> PathRefused:
    shown = text if len(text) <= PATH_BYTES else text[:40] + "…"
    return PathRefused(code, f"path {shown!r} is refused: {reason}")
