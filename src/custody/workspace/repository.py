"""A git repository of the user's, by git's own plumbing: neither work tree, index nor HEAD change.

No hook of the repository runs, nobody is asked anything, and variables that a surrounding git has
set, as in a hook of its own, do not count.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from custody.errors import Refused, UsageError
from custody.store.places import is_folder

_QUIET = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false",
    "-c", "user.useConfigOnly=true", "--no-optional-locks",
)  # fmt: skip
_NOT_HANDED_ON = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
)
_NONE = "0" * 40
_MISSING = 1


class Held(NamedTuple):
    """What a commit holds at a path."""

    mode: str
    """As git writes it: 100644, 100755, 120000, 160000."""
    name: str
    """Of the object."""


class Repository:
    """The repository that a folder belongs to."""

    def __init__(self, folder: str) -> None:
        """Find it; raises `UsageError` where there is none with a commit."""
        self._folder = folder
        self._top = folder
        self._variables = {
            name: value for name, value in os.environ.items() if name not in _NOT_HANDED_ON
        } | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        top = self._run("rev-parse", "--show-toplevel", ok=None)
        prefix = self._run("rev-parse", "--show-prefix", ok=None)
        if top is None or prefix is None:
            if self._run("rev-parse", "--is-bare-repository", ok=None) == b"true\n":
                hint = "name a clone of it that has files"
                raise UsageError("the repository is bare", where=folder, hint=hint)
            raise UsageError(
                "it lies in no git repository",
                where=folder,
                hint="`git init` makes one of a folder",
            )
        self._top = os.fsdecode(top).removesuffix("\n")
        self.prefix = os.fsdecode(prefix).removesuffix("\n")
        """The folder's place in the repository: empty, or with a slash at the end."""
        head = self._run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=None)
        if head is None:
            hint = "commit what the run began with first"
            raise UsageError("the repository has no commit yet", where=folder, hint=hint)
        self.head = head.decode().strip()

    def refuse_branch(self, name: str) -> None:
        """Raise `UsageError` or `Refused` for a name that no new branch can have."""
        checked = self._run("check-ref-format", "--branch", name, ok=None)
        if checked is None or checked.decode().strip() != name:
            raise UsageError(
                f"{name!r} cannot be the name of a branch", hint="`man git-check-ref-format`"
            )
        if self._run("show-ref", "--verify", "--quiet", f"refs/heads/{name}", ok=None) is not None:
            hint = f"choose another name, or `git branch -D {name}`"
            raise Refused("branch", f"branch {name!r} exists", where=self._folder, hint=hint)

    def refuse_dirty(self) -> None:
        """Raise `Refused` when files are not as the last commit has them."""
        changed = self._run("status", "--porcelain", "-z", "--untracked-files=no")
        if changed:
            first = os.fsdecode(changed.split(b"\0")[0][3:])
            what = f"the work tree is dirty: {first} is not as HEAD has it"
            raise Refused("dirty", what, where=self._folder, hint="commit or stash it first")

    def refuse_nobody(self) -> None:
        """Raise `UsageError` when git does not know who the user is."""
        for variable in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
            if self._run("var", variable, ok=None) is None:
                raise UsageError(
                    "git does not know your name and address",
                    where=self._folder,
                    hint='`git config --global user.name "…"` and user.email',
                )

    def held(self, paths: Iterable[str]) -> dict[str, Held]:
        """Return what HEAD holds at these paths of the folder; a folder counts as nothing."""
        wanted = {f"{self.prefix}{path}" for path in paths}
        listed = self._run("ls-tree", "-r", "-z", "--full-tree", self.head)
        found: dict[str, Held] = {}
        for line in filter(None, (listed or b"").split(b"\0")):
            about, _, name = line.partition(b"\t")
            path = os.fsdecode(name)
            if path in wanted:
                mode, _kind, sha = about.decode().split(" ")
                found[path.removeprefix(self.prefix)] = Held(mode, sha)
        return found

    def ignored(self, paths: Iterable[str]) -> set[str]:
        """Return those of some paths of the folder that git ignores."""
        given = b"\0".join(os.fsencode(f"./{self.prefix}{path}") for path in paths)
        if not given:
            return set()
        found = self._run("check-ignore", "--no-index", "-z", "--stdin", given=given, ok=_MISSING)
        names = (os.fsdecode(name) for name in (found or b"").split(b"\0") if name)
        return {name.removeprefix(f"./{self.prefix}") for name in names}

    def blob(self, path: str, data: bytes, *, filtered: bool, keep: bool = False) -> str:
        """Return git's name of a content at a path of the folder; with ``keep`` it is stored.

        ``filtered`` is as `git add` would take it, with the line ends and filters of the path.
        """
        way = ("--path", f"{self.prefix}{path}") if filtered else ("--no-filters",)
        written = ("-w",) if keep else ()
        found = self._run("hash-object", "-t", "blob", *written, "--stdin", *way, given=data)
        return (found or b"").decode().strip()

    def commit(self, changes: Iterable[tuple[str, Held | None]], message: str, index: str) -> str:
        """Return a new commit on top of HEAD, by an index of its own; no branch leads to it yet."""
        variables = {"GIT_INDEX_FILE": index}
        removed, put = [], []
        for path, held in changes:
            name = os.fsencode(f"{self.prefix}{path}")
            if held is None:
                removed.append(b"0 %s\t%s\0" % (_NONE.encode(), name))
            else:
                put.append(b"%s %s\t%s\0" % (held.mode.encode(), held.name.encode(), name))
        self._run("read-tree", self.head, variables=variables)
        lines = b"".join((*removed, *put))
        self._run(
            "update-index", "-z", "--replace", "--index-info", given=lines, variables=variables
        )
        tree = (self._run("write-tree", variables=variables) or b"").decode().strip()
        words = ("commit-tree", "--no-gpg-sign", tree, "-p", self.head, "-F", "-")
        return (self._run(*words, given=message.encode()) or b"").decode().strip()

    def make_branch(self, name: str, commit: str) -> None:
        """Let a new branch lead to a commit; raises `Refused` when it was made meanwhile."""
        self._run("update-ref", "-m", "custody apply", f"refs/heads/{name}", commit, _NONE)

    def commit_with(self, branch: str, line: str) -> str:
        """Return the last commit of a branch whose message holds a line; empty where none does."""
        if self._run("show-ref", "--verify", "--quiet", f"refs/heads/{branch}", ok=None) is None:
            return ""
        words = ("log", "-1", "--format=%H", "--fixed-strings", f"--grep={line}")
        found = self._run(*words, f"refs/heads/{branch}", "--")
        return (found or b"").decode().strip()

    def make_tag(self, name: str, message: str) -> None:
        """Make an annotated tag of HEAD; raises `Refused` when there is one of that name."""
        who = (self._run("var", "GIT_COMMITTER_IDENT") or b"").decode().strip()
        about = f"object {self.head}\ntype commit\ntag {name}\ntagger {who}\n\n{message}"
        made = (self._run("mktag", given=about.encode()) or b"").decode().strip()
        if self.tagged(name) is not None:
            raise Refused("tag", f"tag {name!r} exists", where=self._folder)
        self._run("update-ref", "-m", "custody anchor", f"refs/tags/{name}", made, _NONE)

    def tagged(self, name: str) -> str | None:
        """Return the message of an annotated tag; None where there is no such tag."""
        found = self._run("cat-file", "tag", f"refs/tags/{name}", ok=None)
        return None if found is None else found.decode(errors="replace").partition("\n\n")[2]

    def _run(
        self,
        *words: str,
        given: bytes = b"",
        ok: int | None = 0,
        variables: dict[str, str] | None = None,
    ) -> bytes | None:
        """Return what git prints; None where it fails, if ``ok`` is None, and `Refused` else."""
        import subprocess

        try:
            done = subprocess.run(
                ["git", *_QUIET, *words],
                cwd=self._top,
                env={**self._variables, **(variables or {})},
                input=given,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            if not is_folder(self._top):
                raise UsageError("there is no such folder", where=self._folder) from None
            if not isinstance(error, FileNotFoundError):
                raise
            raise UsageError("git is not installed", hint="install it") from None
        if done.returncode in {0, ok}:
            return done.stdout
        said = done.stderr.decode(errors="replace").strip()
        if ok is None and "dubious ownership" not in said:
            return None
        raise Refused("git", f"git {words[0]}: {said}", where=self._folder)
