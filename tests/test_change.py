"""What every surface calls about a change."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from custody import change
from custody.errors import PackFailed, StorageFailed
from support.packing import Library, whole


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path / "site")
    library.write("a.py", "x = 1\n")
    return library


def write(library: Library, **settings: int) -> str:
    path = library.folder.parent / "request.json"
    path.write_text(json.dumps(library.request(whole("a.py"), **settings)))
    return str(path)


@pytest.mark.req("C-09")
def test_a_pack_is_written_whole(library: Library, tmp_path: Path) -> None:
    output = tmp_path / "context_pack.json"
    made = change.pack(write(library), repo=str(library.folder), output=str(output))
    assert output.read_bytes() == made.data
    assert made.sha256 == hashlib.sha256(made.data).hexdigest()
    assert json.loads(made.data)["repo_slug"] == "site"


def test_a_failure_is_written_beside_it_and_goes_when_a_pack_is_made(
    library: Library, tmp_path: Path
) -> None:
    output, failure = tmp_path / "context_pack.json", tmp_path / "context_pack.failure.json"
    output.write_text("from before")
    with pytest.raises(PackFailed) as refused:
        change.pack(write(library, max_files=1), repo=str(library.folder), output=str(output))
    assert (refused.value.code, output.read_text()) == ("budget_too_small", "from before")
    told = json.loads(failure.read_text())
    assert (told["code"], told["raise_by"]) == (
        "budget_too_small",
        {"max_files": 2, "max_total_bytes": 0},
    )
    change.pack(write(library), repo=str(library.folder), output=str(output))
    assert (failure.exists(), output.read_text().startswith("{")) == (False, True)


def test_a_request_that_is_not_there_is_told(library: Library) -> None:
    with pytest.raises(StorageFailed, match="no such file"):
        change.pack("nowhere.json", repo=str(library.folder))
