"""Files of commits, by the objects themselves: nothing that a repository brings along is run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from custody.errors import ResolveFailed
from custody.evidence import Content
from custody.evidence.uri import GitUri, build_git_uri, parse
from custody.resolvers.git import last_commit, last_commits, pinned, read_committed
from support.programs import needs

pytestmark = needs("git")
ODD = "a b#%?é&*[x].txt"


def git(folder: Path, *words: str) -> str:
    variables = {
        **{name: os.environ[name] for name in ("PATH",)},
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    named = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    done = subprocess.run(
        ["git", "-C", folder, *named, *words],
        env=variables,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "docs").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "docs" / "a.txt").write_bytes(b"one\r\n\xff\0")
    (folder / ODD).write_text("odd\n")
    (folder / "link").symlink_to("docs/a.txt")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    git(folder, "tag", "-am", "a tag", "v1.0")
    (folder / "docs" / "a.txt").write_text("two\n")
    git(folder, "commit", "-qam", "second")
    return folder


def read(folder: Path, revision: str, path: str) -> Content:
    uri = parse(f"git://main/{revision}/{path}")
    assert isinstance(uri, GitUri)
    return read_committed({"main": str(folder)}, uri, os.environ)


def failed(folder: Path, revision: str, path: str) -> ResolveFailed:
    with pytest.raises(ResolveFailed) as raised:
        read(folder, revision, path)
    return raised.value


@pytest.mark.req("E-07")
def test_a_file_is_as_the_commit_has_it(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD~1")
    for revision in (first, first[:12], "v1.0"):
        assert read(repository, revision, "docs/a.txt") == Content.of(b"one\r\n\xff\0")
    assert read(repository, "main", "docs/a.txt").data == b"two\n"
    assert read(repository, first, "a%20b%23%25%3F%C3%A9&*%5Bx%5D.txt").data == b"odd\n"
    assert read(repository, first, "link").data == b"docs/a.txt"


@pytest.mark.req("E-07")
@pytest.mark.parametrize(
    "name",
    ["aux.c", "a:b", ":x", "-x", "~x", "x ", "x.", "back\\slash", "cafe\u0301", "d/" * 40 + "x"],
)
def test_a_name_that_no_new_file_should_have_is_found(repository: Path, name: str) -> None:
    place = repository / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("there\n")
    git(repository, "add", "--", f":(literal){name}")
    git(repository, "commit", "--quiet", "--message", "odd")
    uri = parse(build_git_uri("main", "HEAD", name))
    assert isinstance(uri, GitUri)
    assert read_committed({"main": str(repository)}, uri, os.environ).data == b"there\n"


@pytest.mark.req("E-07")
def test_what_is_not_there_is_gone(repository: Path, tmp_path: Path) -> None:
    assert failed(repository, "HEAD", "docs").code == "gone"
    assert failed(repository, "HEAD", "none.txt").code == "gone"
    assert failed(repository, "0" * 40, "docs/a.txt").code == "gone"
    assert failed(repository, "no-such", "docs/a.txt").code == "gone"
    assert failed(tmp_path / "none", "HEAD", "a").code == "unreachable"
    assert failed(repository / "docs", "HEAD", "a.txt").code == "unreachable"


def test_only_a_named_repository_is_asked(repository: Path) -> None:
    uri = parse("git://other/HEAD/docs/a.txt")
    assert isinstance(uri, GitUri)
    with pytest.raises(ResolveFailed) as raised:
        read_committed({"main": str(repository)}, uri, os.environ)
    assert (raised.value.code, "[evidence.git]" in raised.value.hint) == ("refused", True)


def test_nothing_of_a_repository_is_run(repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    command = f"touch {trap}; cat"
    hook = repository / ".git" / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\n{command}\n")
    hook.chmod(0o755)
    (repository / ".git" / "info" / "attributes").write_text("* diff=x filter=x\n")
    for name in (
        "diff.x.textconv", "diff.x.command", "filter.x.smudge", "filter.x.clean", "diff.external",
        "core.fsmonitor", "core.pager", "core.sshCommand", "gpg.program", "core.editor",
        "core.alternateRefsCommand", "alias.cat-file", "alias.rev-parse", "credential.helper",
    ):  # fmt: skip
        git(repository, "config", name, f"!{command}" if "alias" in name else command)
    git(repository, "config", "log.showSignature", "true")
    assert read(repository, "HEAD", "docs/a.txt").data == b"two\n"
    assert last_commit(str(repository), "docs/a.txt", os.environ)
    assert not trap.exists()


def test_a_replaced_object_does_not_count(repository: Path) -> None:
    first, second = git(repository, "rev-parse", "HEAD~1"), git(repository, "rev-parse", "HEAD")
    git(repository, "replace", first, second)
    assert read(repository, first, "docs/a.txt").data == b"one\r\n\xff\0"


def test_nothing_missing_is_fetched(repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    blob = git(repository, "rev-parse", "HEAD:docs/a.txt")
    git(repository, "config", "remote.origin.url", f"ext::sh -c 'touch {trap}'")
    git(repository, "config", "remote.origin.promisor", "true")
    git(repository, "config", "extensions.partialClone", "origin")
    git(repository, "config", "protocol.ext.allow", "always")
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert failed(repository, "HEAD", "docs/a.txt").code in {"gone", "unreachable"}
    assert not trap.exists()


def test_variables_of_a_surrounding_git_do_not_count(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.bare")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "maybe")
    assert read(repository, "HEAD", "docs/a.txt").data == b"two\n"


@pytest.mark.req("E-06")
def test_the_commit_that_last_changed_a_document(repository: Path, tmp_path: Path) -> None:
    second = git(repository, "rev-parse", "HEAD")
    assert last_commit(str(repository), "docs/a.txt", os.environ) == second
    assert last_commit(str(repository / "docs"), "a.txt", os.environ) == second
    assert last_commit(str(repository), ODD, os.environ) == git(repository, "rev-parse", "HEAD~1")
    assert last_commit(str(repository), "none", os.environ) == ""
    assert last_commit(str(tmp_path), "a", os.environ) == ""


def test_a_revision_is_pinned_to_its_commit(repository: Path) -> None:
    uri = parse("git://main/v1.0/docs/a.txt")
    assert isinstance(uri, GitUri)
    commit = git(repository, "rev-parse", "v1.0^{commit}")
    found = pinned({"main": str(repository)}, uri, os.environ)
    assert found == parse(f"git://main/{commit}/docs/a.txt")


@pytest.mark.req("E-06")
def test_the_commits_that_last_changed_all_documents(repository: Path) -> None:
    (repository / ODD).write_text("odd, and more\n")
    (repository / "gone.txt").write_text("gone\n")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "more")
    git(repository, "rm", "--quiet", "gone.txt")
    git(repository, "commit", "--quiet", "--message", "less")
    found = last_commits(str(repository), os.environ)
    assert found[ODD] == git(repository, "rev-parse", "HEAD~1")
    for path in git(repository, "ls-files", "-z").strip("\0").split("\0"):
        assert found[path] == last_commit(str(repository), path, os.environ)
    below = last_commits(str(repository / "docs"), os.environ)
    parts = {path.removeprefix("docs/"): path for path in found if path.startswith("docs/")}
    assert below == {part: found[path] for part, path in parts.items()}


def test_where_git_knows_nothing_there_are_no_commits(tmp_path: Path) -> None:
    assert last_commits(str(tmp_path), os.environ) == {}
