"""What commits changed: the same bytes whatever a repository, or its reader, has set."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from custody.errors import Refused, UsageError
from custody.logbook.change import HistoryChange
from custody.logbook.git_history import GitHistory
from support.histories import GitRepo


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "repo")


def changes(repo: GitRepo, limit: int = 1 << 20) -> list[HistoryChange]:
    history = GitHistory(str(repo.folder), limit=limit)
    return list(history.changes(history.commits(history.tip("HEAD").commit)))


def test_each_commit_is_told_with_its_patch(repo: GitRepo) -> None:
    repo.commit({"a": "1\n"}, "first\n\nmore")
    repo.commit({}, "empty")
    repo.git("checkout", "--quiet", "-b", "side", "HEAD~1")
    repo.commit({"b": "2\n"}, "side")
    repo.git("merge", "--quiet", "--message", "merged", "main")
    last = repo.commit({"a": "1\n2"}, "größer")
    told = {change.subject: change for change in changes(repo)}
    assert [*told][-1] == "größer"
    assert set(told) == {"first", "empty", "side", "merged", "größer"}
    assert told["merged"].about == {"parents": 2}
    assert told["empty"].patch == told["merged"].patch == b""
    shown = repo.git("diff-tree", "--root", "-p", "--full-index", "--no-commit-id", last)
    assert told["größer"].patch.decode() == shown + "\n"
    assert told["first"].patch.startswith(b"diff --git a/a b/a\nnew file mode 100644\n")


def test_odd_contents_are_told_as_they_are(repo: GitRepo) -> None:
    odd = b"\0\n\0" + b"a" * 40 + b"\0\0001\0x\0\n\xff\r\nno end"
    repo.commit({"text": odd.replace(b"\0", b"\x01"), "bin": odd, 'q"\n\xe4': "x"})
    repo.commit({"bin": odd[::-1], ".gitattributes": "bin diff\n"}, "x" * 200_000)
    [first, second] = changes(repo)
    assert b"Binary files /dev/null and b/bin differ\n" in first.patch
    assert first.patch_meta == {"binary_files": 1}
    assert b'+++ "b/q\\"\\n\\303\\244"' in first.patch
    assert b"\xff\r\n" in first.patch
    assert second.name == repo.git("rev-parse", "HEAD")
    assert second.patch.startswith(b"diff --git")


def test_a_large_patch_is_a_count_and_a_larger_one_a_sum(repo: GitRepo) -> None:
    repo.commit({"small": "1\n"})
    repo.commit({"large": "line\n" * 1000})
    repo.commit({f"{'n' * 50}{number}": "line\n" for number in range(20)})
    repo.commit({"small": "2\n"})
    told = changes(repo, limit=400)
    assert [change.format for change in told] == ["diff", "diffstat", "ministat", "diff"]
    assert told[1].patch == b"1000\t0\tlarge\n"
    assert told[2].patch == b" 20 files changed, 20 insertions(+)\n"
    assert told[1].patch_meta["cut"] == "too_large"
    assert told[1].patch_meta["diff_bytes"] == len(changes(repo)[1].patch)


HOSTILE = {
    "diff.external": "touch OWNED; false",
    "diff.evil.textconv": "touch OWNED; cat",
    "diff.evil.command": "touch OWNED; false",
    "diff.evil.xfuncname": "^.*$",
    "diff.noprefix": "true",
    "diff.suppressBlankEmpty": "true",
    "diff.context": "9",
    "diff.algorithm": "patience",
    "diff.renames": "false",
    "diff.orderFile": "/etc/passwd",
    "diff.interHunkContext": "9",
    "diff.submodule": "log",
    "core.quotePath": "false",
    "core.abbrev": "5",
    "core.fsmonitor": "touch OWNED",
    "core.pager": "touch OWNED",
    "color.ui": "always",
    "i18n.logOutputEncoding": "latin1",
    "log.showSignature": "true",
}


def test_no_setting_runs_anything_or_changes_a_byte(
    repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"a": "1\n\n2\n" * 9, "ä": "x"}, "größer")
    repo.commit({"b": "1\n\n3\n" * 9, "c": ""}, "zwei")
    before = changes(repo)
    for name, value in HOSTILE.items():
        repo.git("config", name, value.replace("OWNED", f"{tmp_path}/owned"))
    (repo.folder / ".gitattributes").write_text("* diff=evil\na -diff\n")
    (repo.folder / ".git" / "info").mkdir(exist_ok=True)
    (repo.folder / ".git" / "info" / "attributes").write_text("a -diff\nb diff=evil\n")
    hook = repo.folder / ".git" / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/owned\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", f"touch {tmp_path}/owned")
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=9")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert changes(repo) == before
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("date", ["-5 +0000", "bad", "", "99999999999999999999 +0000", "1e9 +0000"])
def test_a_date_that_cannot_be_read_hinders_nothing(repo: GitRepo, date: str) -> None:
    first = repo.commit({"a": "1\n"})
    tree = repo.git("write-tree")
    people = [f"author A <a@b> {date}", f"committer A <a@b> {date}"]
    given = "\n".join([f"tree {tree}", f"parent {first}", *people, "", "odd", ""]).encode()
    words = ("hash-object", "-t", "commit", "-w", "--stdin", "--literally")
    repo.git("update-ref", "HEAD", repo.git(*words, given=given))
    last = repo.commit({"a": "2\n"}, "after it")
    told = changes(repo)
    assert [change.subject for change in told][1:] == ["odd", "after it"]
    assert told[2].name == last


def test_a_replaced_commit_is_read_as_it_was(repo: GitRepo) -> None:
    first = repo.commit({"a": "1\n"})
    before = changes(repo)
    other = repo.commit({"a": "2\n"})
    repo.git("update-ref", "HEAD", first)
    repo.git("replace", first, other)
    assert changes(repo) == before


def test_the_edge_of_a_shallow_clone_is_left_out(repo: GitRepo, tmp_path: Path) -> None:
    for number in range(4):
        last = repo.commit({"a": f"{number}\n"})
    clone = str(tmp_path / "clone")
    repo.git("clone", "--quiet", "--depth=2", f"file://{repo.folder}", clone)
    history = GitHistory(clone)
    assert history.commits(history.tip("HEAD").commit) == [last]
    assert len(history.edges()) == 1


def test_what_leads_where(repo: GitRepo) -> None:
    first, second = repo.commit({"a": "1"}), repo.commit({"a": "2"})
    history = GitHistory(str(repo.folder))
    assert history.tip("HEAD").name == "refs/heads/main"
    assert history.tip(first) == (first, first)
    assert history.commits(second, first) == [second]
    assert history.leads_to(first, second)
    assert not history.leads_to(second, first)
    assert not history.leads_to("0" * 40, second)


@pytest.mark.parametrize("revision", ["nowhere", "--all", "-n1", "", "HEAD..HEAD", "HEAD:a"])
def test_what_is_no_commit_is_told(repo: GitRepo, revision: str) -> None:
    repo.commit({"a": "1"})
    with pytest.raises(UsageError):
        GitHistory(str(repo.folder)).tip(revision)


def test_what_is_no_repository_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        GitHistory(str(tmp_path))
    with pytest.raises(UsageError):
        GitHistory(str(tmp_path / "missing"))


def test_a_damaged_repository_is_told(repo: GitRepo) -> None:
    repo.commit({"a": "1\n"})
    name = hashlib.sha1(b"blob 2\0002\n", usedforsecurity=False).hexdigest()
    repo.commit({"a": "2\n"})
    (repo.folder / ".git" / "objects" / name[:2] / name[2:]).unlink()
    with pytest.raises(Refused, match="git"):
        changes(repo)
