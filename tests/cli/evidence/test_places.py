"""A command looks for evidence where the user allows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.cli.evidence.places import resolvers
from custody.evidence.uri import build_docs_evidence_uri, parse


def test_documents_are_those_of_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("x")
    assert resolvers().resolve(parse(build_docs_evidence_uri("a", "0" * 64))).data == b"x"
