"""A run's files are found in its directory, and replaced ones among its blobs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.errors import ResolveFailed
from custody.evidence.run_files import RunFiles, source_id
from custody.evidence.uri import build_docs_evidence_uri, parse
from custody.store.rundir import RunDirectory

OLD, NEW = b"as it was\n", b"as it is\n"
PATH = "docs/a note.md"


@pytest.fixture
def run(tmp_path: Path) -> Iterator[RunDirectory]:
    with RunDirectory.create(str(tmp_path), "r1") as made:
        made.blobs.put(OLD)
        made.write(PATH, NEW)
        yield made


def resolved(run: RunDirectory, data: bytes, path: str = PATH) -> bytes:
    sha256 = hashlib.sha256(data).hexdigest()
    content = RunFiles(run).resolve(parse(build_docs_evidence_uri(path, sha256)))
    assert content.sha256 == hashlib.sha256(content.data).hexdigest()
    return content.data


def failure(run: RunDirectory, uri: str) -> str:
    with pytest.raises(ResolveFailed) as caught:
        RunFiles(run).resolve(parse(uri))
    return caught.value.code


@pytest.mark.req("E-04")
def test_a_file_is_read_and_what_it_was_is_kept(run: RunDirectory) -> None:
    assert resolved(run, NEW) == NEW
    assert resolved(run, OLD) == OLD


@pytest.mark.req("E-04")
def test_another_content_is_returned_as_what_it_is(run: RunDirectory) -> None:
    assert resolved(run, b"never written\n") == NEW


@pytest.mark.req("E-04")
def test_a_blob_that_was_swapped_is_not_believed(run: RunDirectory) -> None:
    blob = Path(run.path, run.blobs.path_of(hashlib.sha256(OLD).hexdigest()))
    blob.chmod(0o644)
    blob.write_bytes(b"as it should have been\n")
    assert resolved(run, OLD) == NEW


@pytest.mark.req("E-04")
def test_what_is_not_there_is_gone(run: RunDirectory) -> None:
    assert failure(run, build_docs_evidence_uri("docs/other.md", "0" * 64)) == "gone"
    assert failure(run, build_docs_evidence_uri(f"{PATH}/below", "0" * 64)) == "gone"


@pytest.mark.req("E-04")
def test_a_link_out_of_the_run_is_not_followed(run: RunDirectory, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("elsewhere")
    Path(run.path, "docs", "link.md").symlink_to(tmp_path / "secret")
    assert failure(run, build_docs_evidence_uri("docs/link.md", "0" * 64)) == "unreachable"


def test_it_reaches_nothing_else(run: RunDirectory) -> None:
    assert failure(run, "file:///etc/passwd") == "refused"


def test_the_source_is_called_after_the_run() -> None:
    assert source_id("r1", PATH) == "r1:docs/a note.md"
