"""Where the documents of a run lie."""

from __future__ import annotations

import pytest

from custody.errors import PathRefused
from custody.pipeline.document import document_path


@pytest.mark.parametrize("text", ["docs/a.md", "audits/1.md", "docs/a/b/c.md"])
def test_documents_lie_in_two_folders(text: str) -> None:
    assert str(document_path(text)) == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a.md", "output_path"),
        ("docs", "output_path"),
        ("Docs/a.md", "output_path"),
        ("workspace/docs/a.md", "output_path"),
        ("docs/../a.md", "traversal"),
        ("/docs/a.md", "absolute"),
        ("docs/", "noncanonical"),
        ("", "empty"),
    ],
)
def test_every_other_place_is_refused(text: str, code: str) -> None:
    with pytest.raises(PathRefused) as refused:
        document_path(text)
    assert refused.value.code == code


def test_a_folder_of_documents_may_be_all_of_them() -> None:
    assert str(document_path("docs", folder=True)) == "docs"
    with pytest.raises(PathRefused):
        document_path("workspace", folder=True)
