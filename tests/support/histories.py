"""Real repositories with histories, made by the programs themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

SETTINGS = {
    "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.org",
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
}  # fmt: skip


class GitRepo:
    """A repository of git's in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str, given: bytes | None = None) -> str:
        """Run git there; return what it prints."""
        done = subprocess.run(
            ["git", *words],
            cwd=self.folder,
            env={**os.environ, **SETTINGS},
            input=given,
            capture_output=True,
            check=True,
        )
        return done.stdout.decode(errors="replace").strip()

    def commit(self, files: dict[str, str | bytes], message: str = "a change") -> str:
        """Write files and commit them; return the commit."""
        for name, content in files.items():
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--file=-", given=message.encode())
        return self.git("rev-parse", "HEAD")

    def many(self, count: int) -> None:
        """Make so many commits of one file on the branch ``many``, at once."""
        lines = []
        for number in range(count):
            message, body = f"change {number}", "\n".join(map(str, range(number % 50, number + 1)))
            lines.append(f"commit refs/heads/many\ncommitter A <a@b> {10**9 + number} +0000")
            lines.append(f"data {len(message)}\n{message}")
            lines.append(f"M 100644 inline a\ndata {len(body)}\n{body}")
        self.git("fast-import", "--quiet", given="\n".join([*lines, ""]).encode())


class SvnRepo:
    """A repository of Subversion's, and a working copy."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.place = folder / "repo"
        self.copy = folder / "copy"
        self._home = folder / "home"
        subprocess.run(["svnadmin", "create", self.place], check=True)
        self.svn("checkout", "--quiet", self.url, str(self.copy), cwd=folder)

    @property
    def url(self) -> str:
        """Its address."""
        return f"file://{self.place}"

    def svn(self, *words: str, cwd: Path | None = None) -> None:
        """Run svn in the working copy."""
        command = ["svn", "--config-dir", str(self._home), "--non-interactive", *words]
        subprocess.run(command, cwd=cwd or self.copy, check=True, capture_output=True)

    def commit(self, files: dict[str, str | bytes], message: str = "a change") -> None:
        """Write files and commit them."""
        for name, content in files.items():
            place = self.copy / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode() if isinstance(content, str) else content)
        self.svn("add", "--force", "--quiet", ".")
        self.svn("commit", "--quiet", "--message", message)
        self.svn("update", "--quiet")

    def replace(self) -> None:
        """Put another repository in its place."""
        shutil.rmtree(self.place)
        subprocess.run(["svnadmin", "create", self.place], check=True)
