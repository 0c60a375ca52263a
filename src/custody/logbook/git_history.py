"""The history of a git repository, read by git's plumbing: the same bytes on every machine.

One process prints the patches of all commits. Nothing of the repository is run (hooks, text
conversion, external diffs), no setting or attribute of it or of the user changes a byte, files of
the work tree play no part, nobody is asked for a password, and nothing is fetched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from custody.errors import Refused, StorageFailed, UsageError
from custody.logbook.change import PATCH_LIMIT, HistoryChange, moment
from custody.logbook.git_apart import objects_alone
from custody.logbook.records import Meta, PatchFormat
from custody.logbook.streams import StreamPart, parts, reading
from custody.patterns import later
from custody.store.root import read_file

_SETTINGS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "advice.graftFileDeprecated": "false",
    "core.attributesFile": "/dev/null",
    "core.bigFileThreshold": "32m",
    "core.quotePath": "true",
    "diff.suppressBlankEmpty": "false",
    "i18n.logOutputEncoding": "UTF-8",
    "log.showSignature": "false",
    "protocol.allow": "never",
}
_DIFF = (
    "diff-tree", "--stdin", "--root", "--always", "-r", "--full-index", "--find-renames=50%",
    "-l1000", "--no-ext-diff", "--no-textconv", "--no-color", "--diff-algorithm=myers",
    "--indent-heuristic", "--inter-hunk-context=0", "--src-prefix=a/",
    "--dst-prefix=b/", "--submodule=short", "-O/dev/null",
)  # fmt: skip
_PATH_OF = ("rev-parse", "--path-format=absolute", "--git-path")
_PATCH = "--unified=3"
"""Asks for the patch; the others ask for a count of lines, by file and of all."""
_BY_FILE = "--numstat"
_OF_ALL = "--shortstat"
_FORMAT = "--format=%x00%H%x00%P%x00%ct%x00%s%x00"
_NO_SUBJECT = "--format=%x00%H%x00%P%x00%ct%x00%x00"
"""For a commit whose subject has no end."""
_MARK = b"\n\0"
"""Begins a commit: no line of a patch begins with a NUL."""
_HEAD = later(rb"([0-9a-f]{40,64})\0([0-9a-f ]*)\0([0-9]*)\0([^\0\n]*)\0\n")
_BINARY = later(rb"^Binary files .* differ$")
_HEAD_LIMIT = 1 << 16


class Tip(NamedTuple):
    """Where a history ends."""

    commit: str
    name: str
    """The full name of the branch, or what the user wrote where it is none."""


class GitHistory:
    """The commits of the repository that a folder belongs to."""

    def __init__(self, folder: str, *, limit: int = PATCH_LIMIT) -> None:
        """Find it; raises `UsageError` where there is none."""
        self._limit = limit
        self._environment = _environment(os.environ)
        self._folder = os.path.abspath(folder)
        try:
            found = self._ask("rev-parse", "--absolute-git-dir")
        except Refused as refused:
            hint = "name a folder of a git repository"
            raise UsageError(refused.what, where=folder, hint=hint) from refused
        self.location = os.fsdecode(found)
        # Neither a work tree nor an index: files of theirs say how some files are to be diffed.
        apart = {"GIT_DIR": self.location, "GIT_INDEX_FILE": f"{self.location}/custody.no-index"}
        self._environment = {**self._environment, **apart}
        self._folder = self.location
        self._objects = os.fsdecode(self._ask(*_PATH_OF, "objects"))
        self._object_format = self._ask("rev-parse", "--show-object-format").decode()

    def tip(self, revision: str) -> Tip:
        """Return the commit that somebody means; raises `UsageError` when it is none."""
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options")
        try:
            commit = self._ask(*words, f"{revision}^{{commit}}").decode()
            name = self._ask("rev-parse", "--symbolic-full-name", "--end-of-options", revision)
        except Refused:
            hint = "a branch, a tag or a commit that is there"
            what = f"it has no commit {revision!r}"
            raise UsageError(what, where=self.location, hint=hint) from None
        lines = name.decode(errors="replace").splitlines()
        return Tip(commit, lines[-1] if lines and lines[-1].startswith("refs/") else revision)

    def commits(self, tip: str, without: str = "") -> list[str]:
        """Return what leads to a commit, parents first; without what leads to another one."""
        left_out = [f"^{without}"] if without else []
        words = ("rev-list", "--topo-order", "--reverse", "--end-of-options", tip, *left_out)
        edges = self.edges()
        return [name for name in self._ask(*words).decode().split() if name not in edges]

    def leads_to(self, commit: str, tip: str) -> bool:
        """Whether a commit is among those that lead to another; False when it is not there."""
        if not self._is(f"{commit}^{{commit}}"):
            return False
        words = self._words("merge-base", "--is-ancestor", commit, tip)
        with reading(words, cwd=self._folder, environment=self._environment, fine=(0, 1)) as asked:
            asked.all()
        return asked.code == 0

    def edges(self) -> frozenset[str]:
        """Return commits whose parents a shallow clone lacks: nobody knows what they changed."""
        if self._ask("rev-parse", "--is-shallow-repository") != b"true":
            return frozenset()
        file = os.fsdecode(self._ask(*_PATH_OF, "shallow"))
        try:
            return frozenset(read_file(file).decode().split())
        except (StorageFailed, UnicodeDecodeError) as error:
            what = f"the list of a shallow clone's edges cannot be read: {error}"
            raise Refused("program", what, where=self.location) from error

    def changes(self, names: Sequence[str]) -> Iterator[HistoryChange]:
        """Yield what each of some commits changed, in that order.

        Of a patch that is too large the count of lines for each file is told, and of that, if it
        is still too large, the sum.
        """
        for entry in self._printed(names, _PATCH):
            if entry.size <= self._limit:
                yield _change(entry, entry.text, "diff", _seen(entry.text))
            else:
                yield self._cut(entry)

    def _cut(self, entry: _Entry) -> HistoryChange:
        meta: Meta = {"cut": "too_large", "diff_bytes": entry.size}
        kinds: tuple[tuple[PatchFormat, str], ...]
        kinds = (("diffstat", _BY_FILE), ("ministat", _OF_ALL))
        for form, option in kinds:
            [short] = self._printed([entry.name], option)
            if short.size <= self._limit:
                return _change(entry, short.text, form, meta)
        raise Refused("program", "git's count has no end", where=f"{self.location} {entry.name}")

    def _printed(self, names: Sequence[str], option: str, form: str = _FORMAT) -> Iterator[_Entry]:
        words = self._words(*_DIFF, form, option)
        given = "".join(f"{name}\n" for name in names).encode()
        with (
            objects_alone(self._objects, self._object_format) as apart,
            reading(
                words, cwd=self._folder, environment=self._environment | apart, given=given
            ) as printing,
        ):
            stream = chain((b"\n",), printing.pieces())
            printed = parts(stream, _MARK, self._limit + _HEAD_LIMIT)
            before = next(printed)
            for name in names:
                part = next(printed, StreamPart(b"", 0, 0))
                entry = _entry(part)
                if entry is None and part.size > _HEAD_LIMIT and form == _FORMAT:
                    [entry] = self._printed([name], option, _NO_SUBJECT)
                if before.size or entry is None or entry.name != name:
                    what = f"git told nothing of commit {name}: {printing.complaint()}"
                    raise Refused("program", what, where=self.location)
                yield entry

    def _is(self, name: str) -> bool:
        words = self._words("cat-file", "-e", name)
        with reading(
            words, cwd=self._folder, environment=self._environment, fine=(0, 1, 128)
        ) as asked:
            asked.all()
        return asked.code == 0

    def _ask(self, *words: str) -> bytes:
        with reading(self._words(*words), cwd=self._folder, environment=self._environment) as asked:
            return asked.all().strip()

    def _words(self, *words: str) -> list[str]:
        bare = ["--bare"] if "GIT_DIR" in self._environment else []
        settings = chain.from_iterable(("-c", f"{key}={said}") for key, said in _SETTINGS.items())
        return ["git", "--no-pager", *bare, *settings, *words]


class _Entry(NamedTuple):
    """One commit as it is printed."""

    name: str
    parents: int
    committed_at: str
    """Empty where git cannot read the date, as tools have left some."""
    subject: str
    text: bytes
    size: int
    """Of the whole text."""


def _entry(part: StreamPart) -> _Entry | None:
    """Read what stands between two marks; its last line ended with the first byte of one."""
    head = _HEAD.match(whole := part.text + b"\n")
    if head is None:
        return None
    begin = head.end() + whole.startswith(b"\n", head.end())
    return _Entry(
        name=head[1].decode(),
        parents=len(head[2].split()),
        committed_at=moment(int(head[3])) if head[3] else "",
        subject=head[4].decode(errors="replace"),
        text=whole[begin:],
        size=part.size + 1 - begin,
    )


def _change(entry: _Entry, text: bytes, form: PatchFormat, meta: Meta) -> HistoryChange:
    about: Meta = {"parents": entry.parents}
    at, subject = entry.committed_at, entry.subject
    return HistoryChange(entry.name, at, subject, about, text, form, meta)


def _seen(text: bytes) -> Meta:
    if b"\nBinary files " not in text:
        return {}
    count = sum(1 for line in text.split(b"\n") if _BINARY.match(line))
    return {"binary_files": count} if count else {}


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for git: nothing of a surrounding git, and nobody to ask."""
    kept = {name: value for name, value in variables.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_GRAFT_FILE": "/dev/null",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
    }
