"""The one file that explains a failed change, and one from elsewhere that may harm."""

from __future__ import annotations

import io
import stat
import zipfile

import pytest

from custody.errors import MalformedDocument
from custody.views import bundle as bundles
from custody.views.bundle import make_bundle, read_bundle

FILES = {
    "TRACE.md": b"# t\n",
    "events.jsonl": b"{}\n",
    "artifacts/verify_report.json": b"{}\n",
    "reviews/a.md": b"Verdict: BLOCK\n",
}


def archive(*members: tuple[str, bytes], mode: int = 0o100644) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(info, data)
    return out.getvalue()


@pytest.mark.req("C-29")
def test_it_holds_the_least_with_placeholders_for_what_is_missing() -> None:
    made = make_bundle(FILES)
    members = read_bundle(made)
    assert FILES.items() <= members.items()
    assert b"there is no artifacts/PLAN.md" in members["artifacts/PLAN.md"]
    assert b"there is no artifacts/diff.patch" in members["artifacts/diff.patch"]
    with zipfile.ZipFile(io.BytesIO(made)) as opened:
        assert {"reviews/", "outbox/"} <= {*opened.namelist()}


@pytest.mark.req("C-29")
def test_the_same_contents_give_the_same_bytes_in_whatever_order() -> None:
    assert make_bundle(FILES) == make_bundle(dict(reversed(FILES.items())))


def test_what_is_no_text_is_escaped() -> None:
    members = read_bundle(make_bundle({**FILES, "logs/x.log": b"a\xff\xfeb"}))
    assert members["logs/x.log"] == rb"a\xff\xfeb"


def test_too_many_files_are_capped_and_the_bundle_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MOST_MEMBERS", 5)
    members = read_bundle(make_bundle({**FILES, **{f"logs/{n}": b"" for n in range(100)}}))
    assert {"TRACE.md", "events.jsonl"} <= members.keys()
    assert b"and 99 more files, which are left out" in members["INVENTORY.md"]


def test_a_huge_file_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MOST_BYTES", 10)
    cut = read_bundle(make_bundle({**FILES, "logs/x": b"a" * 50}))["logs/x"]
    assert cut.startswith(b"a" * 10 + b"\n")
    assert b"cut: 50 bytes" in cut


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (archive(("a/../../b", b"")), "path"),
        (archive(("/etc/passwd", b"")), "path"),
        (archive(("a\\b", b"")), "path"),
        (archive(("a", b"b"), mode=stat.S_IFLNK | 0o777), "symlink"),
        (b"no archive", "zip"),
    ],
    ids=["traversal", "absolute", "backslash", "symlink", "none"],
)
def test_what_could_harm_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(MalformedDocument) as refused:
        read_bundle(data)
    assert refused.value.code == code


def test_two_members_of_one_name_are_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        data = archive(("a", b"1"), ("a", b"2"))
    with pytest.raises(MalformedDocument) as refused:
        read_bundle(data)
    assert refused.value.code == "duplicate"


def test_a_bomb_is_refused_by_what_it_declares_and_by_what_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bundles, "READ_LIMIT", 1000)
    bomb = archive(("a", b"0" * 100_000))
    for data in (bomb, bomb.replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))):
        with pytest.raises(MalformedDocument) as refused:
            read_bundle(data)
        assert refused.value.code in {"too_large", "zip"}
