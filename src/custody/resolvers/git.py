"""What a commit holds at a path: the bytes that ``git show <commit>:<path>`` prints for a file.

The object itself is read, so nothing of the repository is run: no hook, no filter, no textconv.
Nothing is fetched, and no replacement of an object counts.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from msgspec.structs import replace

from custody.errors import ResolveFailed
from custody.evidence import Content, failure
from custody.evidence.uri import GitUri, build_git_uri
from custody.patterns import later
from custody.resolvers.program import Said, run

_QUIET = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
    "-c", "log.showSignature=false", "--no-optional-locks", "--no-replace-objects", "--no-pager",
    "--literal-pathspecs",
)  # fmt: skip
_OBJECT = later(rb"[0-9a-f]{40,64}")


def read_committed(
    repositories: Mapping[str, str], uri: GitUri, environment: Mapping[str, str]
) -> Content:
    """Return a file of a commit; raises `ResolveFailed`."""
    git = _repository(repositories, uri, environment)
    name = git.object(f"{git.commit(uri.revision)}:{uri.path}")
    kind = git.run("cat-file", "-t", name).out.strip() if name else b""
    if kind != b"blob":
        what = f"the commit holds no file {uri.path!r}"
        raise ResolveFailed(failure.GONE, what, where=uri.text)
    said = git.run("cat-file", "blob", name)
    if said.exit_code:
        raise ResolveFailed(failure.UNREACHABLE, _last(said), where=uri.text)
    return Content.of(said.out)


def pinned(repositories: Mapping[str, str], uri: GitUri, environment: Mapping[str, str]) -> GitUri:
    """Return the uri with the commit that its revision leads to now; raises `ResolveFailed`."""
    commit = _repository(repositories, uri, environment).commit(uri.revision)
    text = build_git_uri(uri.repository, commit, uri.path)
    return replace(uri, text=text, revision=commit)


def _repository(
    repositories: Mapping[str, str], uri: GitUri, environment: Mapping[str, str]
) -> _Git:
    folder = repositories.get(uri.repository, "")
    if not folder:
        hint = f'name its folder in [evidence.git]: {uri.repository} = "/…"'
        what = f"no repository is named {uri.repository!r}"
        raise ResolveFailed(failure.REFUSED, what, where=uri.text, hint=hint)
    return _Git(folder, environment, uri.text)


def last_commit(root: str, path: str, environment: Mapping[str, str]) -> str:
    """Return the commit that last changed a file below a folder; empty where git knows none."""
    git = _Git(root, environment, path)
    said = git.run("log", "-1", "--format=%H", "--", path, within=True)
    found = said.out.strip()
    return found.decode() if said.exit_code == 0 and _OBJECT.fullmatch(found) else ""


def last_commits(root: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the same of all files below a folder, by path: one reading of the history for many.

    Raises `ResolveFailed` where the history is too long for that. A change that a merge made by
    itself is not seen.
    """
    git = _Git(root, environment, root)
    words = ("log", "--no-renames", "--relative", "--name-only", "-z", "--format=%x01%H")
    said = git.run(*words, within=True)
    found: dict[str, str] = {}
    commit = ""
    for word in said.out.split(b"\0") if said.exit_code == 0 else ():
        if word[:1] == b"\1" and _OBJECT.fullmatch(word, 1):
            commit = word[1:].decode()
        elif name := word.removeprefix(b"\n"):
            found.setdefault(os.fsdecode(name), commit)
    return found


class _Git:
    """Git, in one repository."""

    def __init__(self, folder: str, environment: Mapping[str, str], where: str) -> None:
        self._folder = os.path.abspath(folder)
        self._environment = environment
        self._where = where

    def run(self, *words: str, within: bool = False) -> Said:
        """Ask the repository that a folder is, or with ``within`` one that it lies in."""
        variables = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}
        if not within:
            variables["GIT_CEILING_DIRECTORIES"] = os.path.dirname(self._folder)
        command = ("git", "-C", self._folder, *_QUIET, *words)
        return run(command, self._environment, variables, where=self._where)

    def object(self, name: str) -> str:
        """Return the object that a name stands for; empty for none."""
        said = self.run("rev-parse", "--verify", "--quiet", name)
        found = said.out.strip()
        return found.decode() if said.exit_code == 0 and _OBJECT.fullmatch(found) else ""

    def commit(self, revision: str) -> str:
        """Return the commit that a revision leads to; raises `ResolveFailed` for none."""
        if found := self.object(f"{revision}^{{commit}}"):
            return found
        said = self.run("rev-parse", "--git-dir")
        if said.exit_code:
            raise ResolveFailed(failure.UNREACHABLE, _last(said), where=self._where)
        raise ResolveFailed(failure.GONE, f"there is no commit {revision}", where=self._where)


def _last(said: Said) -> str:
    """Return the last line of what a program complained of."""
    return said.error.rpartition("\n")[2] or f"git ended with exit code {said.exit_code}"
