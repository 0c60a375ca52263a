"""Names become segments and names again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import UriRefused
from custody.evidence.escape import climbs, escaped, escaped_path, plain

NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")))


@given(NAMES)
def test_a_name_comes_back(name: str) -> None:
    assert plain(escaped(name), where="") == name
    assert not set("/?#% ") & set(escaped(name).replace("%", "")) or "%" in escaped(name)


@pytest.mark.parametrize("name", ["a\nb", "\0", "\x7f", "\x85", "\ud800"])
def test_what_no_uri_holds_is_refused(name: str) -> None:
    with pytest.raises(UriRefused) as refused:
        escaped(name)
    assert refused.value.code == "E_MALFORMED"


@pytest.mark.parametrize(
    "segment", ["a b", "a#b", "a?b", "%", "%4", "%zz", "é", "%00", "%ff", "%0a"]
)
def test_a_segment_is_escaped_in_one_way(segment: str) -> None:
    with pytest.raises(UriRefused) as refused:
        plain(segment, where="")
    assert refused.value.code == "E_MALFORMED"


def test_a_path_keeps_its_slashes() -> None:
    assert escaped_path("docs/a b/ü.md") == "docs/a%20b/%C3%BC.md"


@pytest.mark.parametrize("path", ["..", "a/../b", "a\\..\\b", "%2e%2e/x", "a/%252e%252e", "..%2fx"])
def test_a_path_that_climbs_is_found(path: str) -> None:
    assert climbs(path)


@pytest.mark.parametrize("path", ["a", "a/b..c", "...", "100%", "%2e"])
def test_a_path_that_stays_is_none(path: str) -> None:
    assert not climbs(path)
