"""``custody pack``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.packing import Library, whole
from support.shell import Here


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path / "site")
    library.write("a.py", "x = 1\n" * 100)
    return library


def request(library: Library, *paths: str, **budget: int) -> str:
    path = library.folder.parent / "request.json"
    path.write_text(json.dumps(library.request(*map(whole, paths), **budget)))
    return str(path)


@pytest.mark.req("C-09")
def test_a_pack_goes_to_standard_output(library: Library, tmp_path: Path) -> None:
    custody = Here(tmp_path)
    done = custody("pack", request(library, "a.py"), "--repo", str(library.folder))
    again = custody("pack", request(library, "a.py"), "--repo", str(library.folder), "--json")
    assert (done.code, json.loads(done.out)) == (0, again.data)
    assert again.data["files"][-1]["content"] == "x = 1\n" * 100


def test_what_is_not_as_it_was_asked_for_is_told(library: Library, tmp_path: Path) -> None:
    room = library.mandatory_bytes + 10
    asked = request(library, "a.py", "b.py", ".env", max_total_bytes=room)
    words = ("pack", asked, "--repo", str(library.folder), "--output", str(tmp_path / "p.json"))
    done = Here(tmp_path)(*words)
    assert done.code == 0
    assert done.out.splitlines()[:3] == [
        "a.py  truncated after 10 bytes",
        "b.py  left out: not_found",
        ".env  left out: denied",
    ]
    told = Here(tmp_path)(*words, "--json").data
    assert (told["files"], told["bytes"]) == (4, (tmp_path / "p.json").stat().st_size)
    assert told["omitted"][0] == {"path": "b.py", "reason": "not_found"}


@pytest.mark.req("C-03")
def test_no_pack_is_a_failure_with_a_code_and_a_way_out(library: Library, tmp_path: Path) -> None:
    asked = request(library, "a.py", max_files=2)
    words = ("pack", asked, "--repo", str(library.folder))
    done = Here(tmp_path)(*words)
    assert (done.code, done.out) == (1, "")
    assert "hint: raise max_files by 1 to 3" in done.err
    told = Here(tmp_path)(*words, "--json")
    assert (told.code, told.data["error_type"], told.data["code"]) == (
        1,
        "PACK_FAILED",
        "budget_too_small",
    )


def test_a_repository_that_is_not_there(library: Library, tmp_path: Path) -> None:
    done = Here(tmp_path)("pack", request(library, "a.py"), "--repo", "nowhere")
    assert done.code == 1
    assert "nowhere" in done.err


def test_the_table_of_a_repository_about_changes_stops_no_other_command(tmp_path: Path) -> None:
    (tmp_path / "custody.toml").write_text('[change]\nslug = "x"\n')
    done = Here(tmp_path)("runs")
    assert done.code == 0, done.err
