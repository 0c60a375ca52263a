"""Each uri is resolved by who knows its scheme, as far as its owner allows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.errors import ResolveFailed
from custody.evidence.uri import build_docs_evidence_uri, build_file_uri, parse
from custody.resolvers.choose import configured

SHA = "0" * 64


@pytest.mark.req("E-04", "E-07")
@pytest.mark.parametrize(
    ("uri", "code"),
    [
        (f"memory://docs/none.md/{SHA}", "gone"),
        (f"memory://patch_blobs/git/1:abc/{SHA}", "unreachable"),
        (f"memory://attachments/7/{SHA}", "unreachable"),
        ("file:///etc/passwd", "refused"),
        ("git://main/HEAD/a", "refused"),
        ("svn://old/a@1", "refused"),
        ("https://example.org/", "refused"),
    ],
)
def test_nothing_is_allowed_that_was_not_named(tmp_path: Path, uri: str, code: str) -> None:
    resolvers = configured({"HOME": str(tmp_path)}, folder=str(tmp_path))
    with pytest.raises(ResolveFailed) as raised:
        resolvers.resolve(parse(uri))
    assert raised.value.code == code


@pytest.mark.req("E-06")
def test_what_is_named_is_had(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    file = tmp_path / ".config" / "custody" / "custody.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'[evidence]\nfile_roots = ["{tmp_path}"]\n')
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    resolvers = configured(environment, folder="/")
    assert resolvers.resolve(parse(build_file_uri(f"{tmp_path}/a.txt"))).data == b"x"
    resolvers = configured({**environment, "CUSTODY_DOCS_ROOT": str(tmp_path)}, folder="/")
    assert resolvers.resolve(parse(build_docs_evidence_uri("a.txt", SHA))).data == b"x"
