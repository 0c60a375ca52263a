"""``custody evidence quote``."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from custody.evidence.check import check
from custody.model.record import decode, encode
from custody.model.reference import Reference
from custody.resolvers.choose import configured
from support.programs import needs
from support.shell import Shell

TEXT = "".join(f"line {number}\n" for number in range(1, 41))
SHA = hashlib.sha256(TEXT.encode()).hexdigest()


@pytest.fixture
def home(custody: Shell, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a document, a configuration and a repository."""
    folder = custody.folder
    (folder / "docs").mkdir()
    (folder / "docs" / "a.md").write_text(TEXT)
    file = folder / "config" / "custody" / "custody.toml"
    file.parent.mkdir(parents=True)
    outside = folder.parent / f"{folder.name}-outside"
    outside.mkdir()
    file.write_text(f'[evidence]\nfile_roots = ["{outside}"]\n[evidence.git]\nmain = "{folder}"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    custody.environment["XDG_CONFIG_HOME"] = str(folder / "config")
    return folder


def quoted(custody: Shell, *words: str) -> Reference:
    done = custody("evidence", "quote", *words, "--json")
    assert done.code == 0, done.err
    return decode(encode(done.data), Reference, where="quote")


@pytest.mark.req("E-04", "E-06")
def test_a_document_is_quoted_so_that_it_can_be_checked(custody: Shell, home: Path) -> None:
    reference = quoted(custody, "docs/a.md", "--lines", "3-4")
    assert reference.artifact_uri == f"memory://docs/docs/a.md/{SHA}"
    assert (reference.source_id, reference.excerpt) == ("docs:a.md", "line 3\nline 4\n")
    assert (reference.lines, reference.git_commit) == ((3, 4), "")
    resolvers = configured(custody.environment, folder=str(home))
    assert check(reference, resolvers).state == "exact"
    (home / "docs" / "a.md").write_text(f"above\n{TEXT}")
    assert check(reference, resolvers).state == "moved"
    (home / "docs" / "a.md").unlink()
    assert check(reference, resolvers).state == "gone"


@needs("git")
@pytest.mark.req("E-06", "E-07")
def test_a_revision_is_quoted_by_its_commit(custody: Shell, home: Path) -> None:
    for words in (
        ("init", "-q"),
        ("add", "docs"),
        ("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "first"),
    ):
        subprocess.run(["git", *words], cwd=home, check=True)
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=home, check=True, capture_output=True, text=True
    )
    commit = done.stdout.strip()
    reference = quoted(custody, "git://main/HEAD/docs/a.md", "--lines", "3")
    assert reference.artifact_uri == f"git://main/{commit}/docs/a.md"
    assert (reference.source_id, reference.excerpt) == (f"main:{commit}", "line 3\n")
    assert quoted(custody, "docs/a.md").git_commit == commit


def test_a_file_elsewhere_is_quoted_by_its_path(custody: Shell, home: Path) -> None:
    file = home.parent / f"{home.name}-outside" / "a b.txt"
    file.write_text(TEXT)
    reference = quoted(custody, str(file))
    assert reference.artifact_uri == f"file://{file}".replace(" ", "%20")
    assert reference.lines == (1, 25)
    done = custody("evidence", "quote", "/etc/passwd", "--json")
    assert (done.code, done.data["code"]) == (1, "refused")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ("41", "there is no line 41"),
        ("1-26", "too much for one excerpt"),
        ("0", "not a range of lines"),
        ("a-b", "not a range of lines"),
        ("3-", "not a range of lines"),
        ("4-3", "ends before it begins"),
    ],
)
def test_lines_that_cannot_be_quoted_are_told(custody: Shell, lines: str, what: str) -> None:
    done = custody("evidence", "quote", "docs/a.md", "--lines", lines)
    assert (done.code, what in done.err) == (1, True)


@pytest.mark.usefixtures("home")
def test_the_end_of_a_document_can_be_quoted(custody: Shell) -> None:
    assert quoted(custody, "docs/a.md", "--lines", "38-99").lines == (38, 40)
