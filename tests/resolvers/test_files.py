"""Files are read below the folders that were named, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.errors import ResolveFailed
from custody.evidence import Content
from custody.evidence.uri import FileUri, build_file_uri, parse
from custody.resolvers.files import read_named


def read(path: Path | str, *roots: Path) -> Content:
    uri = parse(build_file_uri(str(path)))
    assert isinstance(uri, FileUri)
    return read_named([str(root) for root in roots], uri)


def failed(path: Path | str, *roots: Path) -> str:
    with pytest.raises(ResolveFailed) as raised:
        read(path, *roots)
    return raised.value.code


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "evidence"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "b c.bin").write_bytes(b"\xff\0")
    (tmp_path / "secret").write_text("x")
    return folder


@pytest.mark.req("E-04")
def test_a_file_below_a_root(root: Path, tmp_path: Path) -> None:
    there = root / "a" / "b c.bin"
    assert read(there, root) == Content.of(b"\xff\0")
    assert read(there, tmp_path / "none", root).data == b"\xff\0"
    (tmp_path / "way").symlink_to(root)
    assert read(there, tmp_path / "way").data == b"\xff\0"
    assert read(tmp_path / "way" / "a" / "b c.bin", tmp_path / "way").data == b"\xff\0"
    os.link(there, root / "again")
    assert read(root / "again", root).data == b"\xff\0"


@pytest.mark.req("E-04")
def test_nothing_leads_out(root: Path, tmp_path: Path) -> None:
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "out").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    assert failed(tmp_path / "secret", root) == "refused"
    assert failed(tmp_path / "secret") == "refused"
    assert failed(f"{root}-more/x", root) == "refused"
    assert failed(root, root) == "refused"
    for name in ("link", "out/secret", "pipe", "a"):
        assert failed(root / name, root) == "refused"


def test_what_is_not_there(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert failed(root / "none", root) == "gone"
    assert failed(root / "none" / "x", root) == "gone"
    monkeypatch.setattr("custody.resolvers.files.LIMIT", 1)
    assert failed(root / "a" / "b c.bin", root) == "too_large"


def test_a_root_that_is_not_there(tmp_path: Path) -> None:
    assert failed(tmp_path / "none" / "x", tmp_path / "none") == "unreachable"
