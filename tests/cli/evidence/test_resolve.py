"""``custody evidence resolve``."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from custody.evidence.uri import build_docs_evidence_uri
from support.shell import Shell, command

DATA = b"one\r\n\xff\0two"
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def uri(custody: Shell) -> str:
    (custody.folder / "a.bin").write_bytes(DATA)
    return build_docs_evidence_uri("a.bin", SHA)


@pytest.mark.req("E-04")
def test_the_content_is_told_or_written(custody: Shell, uri: str, tmp_path: Path) -> None:
    told = custody("evidence", "resolve", uri, "--json").data
    assert told == {"uri": uri, "sha256": SHA, "size": len(DATA)}
    done = custody("evidence", "resolve", uri, "--output", "copy.bin")
    assert done.out == f"copy.bin: {len(DATA)} bytes, sha256 {SHA}\n"
    assert (tmp_path / "copy.bin").read_bytes() == DATA


@pytest.mark.req("E-04")
def test_the_content_goes_to_a_pipe_byte_for_byte(tmp_path: Path, uri: str) -> None:
    words = command("evidence", "resolve", uri)
    environment = Shell(tmp_path).environment
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert done.stdout == DATA


@pytest.mark.req("E-04")
def test_another_content_is_not_handed_out(custody: Shell, uri: str, tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"other")
    done = custody("evidence", "resolve", uri, "--output", "copy.bin", "--json")
    assert (done.code, done.data["error_type"], done.data["code"]) == (
        1,
        "RESOLVE_FAILED",
        "changed",
    )
    assert not (tmp_path / "copy.bin").exists()
    (tmp_path / "a.bin").unlink()
    assert custody("evidence", "resolve", uri, "--json").data["code"] == "gone"


def test_no_repository_says_where_evidence_may_be(custody: Shell) -> None:
    (custody.folder / "custody.toml").write_text('[evidence]\nfile_roots = ["/"]\n')
    done = custody("evidence", "resolve", "file:///etc/passwd", "--json")
    assert (done.code, done.data["code"]) == (1, "refused")
    assert "a repository has no evidence" in custody("doctor").err
