"""Needs of a file request: what the librarian shows, what it leaves out, and why."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.hostile import Case, cases, custody
from support.packing import Library

CONTENT = "one\ntwo\r\nthree\nfour\nfive\n"
BUDGET = 10_000
UNREAD: dict[str, Callable[[Path], None]] = {
    "FIFO": os.mkfifo, "fifo": os.mkfifo, "directory": Path.mkdir, "folder": Path.mkdir,
}  # fmt: skip
"""What is no file, by the word for it."""
PLAIN = re.compile(r"(?:\.?[a-z_][\w.-]*/)*\.?[a-z_][\w.-]*", re.ASCII)
"""Paths at which a file can be made without harm."""


@pytest.mark.req("C-05", "C-06", "C-07", "C-08")
@pytest.mark.parametrize("case", cases("file_request"), ids=str)
def test_file_request(case: Case, tmp_path: Path) -> None:
    library = Library(tmp_path / "repo")
    need = {key: value for key, value in case.input.items() if key != "fs"}
    budget = prepare(library, need, case)
    if need.get("line_ranges") == "one million ranges":
        need["line_ranges"] = [[n, n] for n in range(1, 1_000_001)]
    request = tmp_path / "request.json"
    request.write_text(json.dumps(library.request(need, max_total_bytes=budget)))
    done = custody("pack", str(request), "--repo", str(library.folder), "--json")
    assert done.code == 0, done.err
    pack = done.data
    found = [file for file in pack["files"] if file["why"] != "mandatory_contract"]
    if case.kind == "omit":
        assert (found, pack["omitted"]) == (
            [],
            [{"path": need.get("path", ""), "reason": case.code}],
        )
        return
    assert pack["omitted"] == []
    assert sum(len(file["content"].encode()) for file in pack["files"]) <= budget
    assert found
    for file in found:
        text = library.head(file["path"], BUDGET)
        assert file["content"]
        assert file["content"] in text
        assert file.get("truncated", False) == (case.code == "truncated")


def prepare(library: Library, need: dict[str, Any], case: Case) -> int:
    """Make what a case needs; return how many bytes the pack may have."""
    setting = case.input.get("fs", "")
    library.write(".git/config", CONTENT)
    if link := re.fullmatch(r"(\S+) -> (\S+)", setting):
        path = library.folder / link[1]
        path.parent.mkdir(exist_ok=True, parents=True)
        path.symlink_to(link[2])
        return BUDGET
    if setting:
        return made(library, need["path"], setting)
    name = need.get("path")
    if not isinstance(name, str) or not PLAIN.fullmatch(name) or case.code == "not_found":
        return BUDGET
    if not (library.folder / name).exists():
        library.write(name, CONTENT)
    return BUDGET


def made(library: Library, name: str, setting: str) -> int:
    """Make a file as a case describes it; return how many bytes the pack may have."""
    if size := re.match(r"(\d+) GB\b", setting):
        library.sparse(name, int(size[1]) << 30)
        return BUDGET
    if "multi-byte" in setting:
        library.write(name, "ä€😀" * 100)
        return library.mandatory_bytes + 4
    if kind := next((word for word in UNREAD if re.search(rf"\b{word}\b", setting)), ""):
        path = library.folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        UNREAD[kind](path)
        return BUDGET
    if "UTF-8" in setting:
        library.write(name, b"caf\xe9\n")
        return BUDGET
    assert setting == "CRLF line ends", f"nothing here knows how to make {setting!r}"
    library.write(name, CONTENT)
    return BUDGET
