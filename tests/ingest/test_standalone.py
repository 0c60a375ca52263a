"""A document that no run wrote: its blocks become new files, and nothing is replaced."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody.errors import PathRefused, StorageFailed, UsageError
from custody.ingest import standalone
from custody.ingest.standalone import IngestedFile, ingest_file
from custody.model.layout import INGEST_MANIFEST
from support.hostile import picture
from support.ingesting import GOOD, block


def take(folder: Path, document: str) -> IngestedFile:
    (folder / "doc.md").write_text(document)
    return ingest_file(f"{folder}/doc.md", str(folder))


def verdicts(taken: IngestedFile) -> list[str]:
    return [f"{row.status}:{row.reason}".rstrip(":") for row in taken.manifest.artifacts]


def test_blocks_become_files_of_the_workspace(tmp_path: Path) -> None:
    taken = take(tmp_path, GOOD)
    assert (tmp_path / "workspace/src/good.py").read_text() == "x = 1\n"
    assert (taken.path, taken.problems) == (INGEST_MANIFEST, ())
    assert taken.manifest.source.doc_path == "doc.md"
    told = json.loads((tmp_path / INGEST_MANIFEST).read_text())
    assert [row["status"] for row in told["artifacts"]] == ["written"]


def test_what_is_there_stays_and_each_document_has_its_manifest(tmp_path: Path) -> None:
    first, second = (
        take(tmp_path, block("a", "1\n")),
        take(tmp_path, block("a", "2\n") + block("b")),
    )
    assert verdicts(first) == ["written"]
    assert verdicts(second) == ["rejected:exists", "written"]
    assert (tmp_path / "workspace/a").read_text() == "1\n"
    assert second.path == f"{INGEST_MANIFEST.removesuffix('.json')}.2.json"
    assert (tmp_path / INGEST_MANIFEST).exists()


def test_manifests_do_not_go_on_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standalone, "MANIFESTS_LIMIT", 3)
    for _ in range(2):
        take(tmp_path, "")
    with pytest.raises(UsageError, match="already has 2 manifests"):
        take(tmp_path, "")


def test_the_folder_of_a_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").touch()
    (tmp_path / "doc.md").write_text(GOOD)
    before = picture(tmp_path)
    with pytest.raises(UsageError, match="the folder of a run"):
        ingest_file(f"{tmp_path}/doc.md", str(tmp_path))
    assert picture(tmp_path) == before


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project/workspace").symlink_to(tmp_path / "outside")
    (tmp_path / "doc.md").write_text(GOOD)
    with pytest.raises(PathRefused) as refused:
        ingest_file(f"{tmp_path}/doc.md", f"{tmp_path}/project")
    assert refused.value.code == "symlink"
    assert list((tmp_path / "outside").iterdir()) == []


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed):
        ingest_file(f"{tmp_path}/missing.md", str(tmp_path))
    (tmp_path / "doc.md").write_text(GOOD)
    with pytest.raises(PathRefused) as refused:
        ingest_file(f"{tmp_path}/doc.md", f"{tmp_path}/missing")
    assert refused.value.code == "missing"


def test_the_name_of_a_document_gives_no_secret_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "tr0ub4dor-and-3-and-4")
    (tmp_path / "tr0ub4dor-and-3-and-4.md").write_text(GOOD)
    taken = ingest_file(f"{tmp_path}/tr0ub4dor-and-3-and-4.md", str(tmp_path))
    assert taken.manifest.source.doc_path == "[redacted:SOME_API_KEY].md"
