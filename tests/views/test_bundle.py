"""The one file that explains a failed change, and one from elsewhere that may harm."""

from __future__ import annotations

import io
import stat
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def packed(method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as made:
        made.writestr("a/é", b"a text " * 50)
    return out.getvalue()


def test_a_way_of_packing_that_bombs_are_made_of_is_refused() -> None:
    assert read_bundle(packed(zipfile.ZIP_DEFLATED)) == {"a/é": b"a text " * 50}
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with pytest.raises(MalformedDocument) as refused:
            read_bundle(packed(method))
        assert refused.value.code == "zip"


@given(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA]), st.data())
def test_a_damaged_archive_is_refused_in_one_way(method: int, data: st.DataObject) -> None:
    damaged = bytearray(packed(method))
    for place in data.draw(st.sets(st.integers(0, len(damaged) - 1), min_size=1, max_size=5)):
        damaged[place] = data.draw(st.integers(0, 255))
    with suppress(MalformedDocument):
        read_bundle(bytes(damaged))


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
        (archive(("a/../../b", b"")), "traversal"),
        (archive(("/etc/passwd", b"")), "absolute"),
        (archive(("/", b"")), "absolute"),
        (archive(("a\\b", b"")), "backslash"),
        (archive(("a//", b"")), "noncanonical"),
        (archive(("C:/a", b"")), "drive"),
        (archive(("abc", b"")).replace(b"abc", b"a\0c"), "control"),
        (archive(("a", b"b"), mode=stat.S_IFLNK | 0o777), "symlink"),
        (b"no archive", "zip"),
    ],
    ids=["up", "absolute", "root", "backslash", "folder", "drive", "NUL", "symlink", "none"],
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
