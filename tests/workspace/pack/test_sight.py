"""What of a repository may be shown, by its name and by where links lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.model.relpath import RelPath
from custody.store.root import Root
from custody.workspace.pack.sight import DENIED, PackSight


@pytest.mark.req("C-05")
@pytest.mark.parametrize("name", [each for each in DENIED if each != ".git"])
def test_a_denied_name_counts_at_any_depth_as_a_whole_component(tmp_path: Path, name: str) -> None:
    with Root.open(str(tmp_path)) as root:
        sight = PackSight(root)
        for path in (name, f"{name}/x", f"a/{name}", f"a/{name.upper()}/b/c"):
            assert sight.denies(RelPath.parse(path)), path
        for path in (f"{name}_evil/x", f"my{name}", f"a/{name}.py"):
            assert not sight.denies(RelPath.parse(path)), path


def test_further_paths_can_be_hidden(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as root:
        sight = PackSight(root, ["Tests/Hidden"])
        assert sight.denies(RelPath.parse("tests/hidden/x.py"))
        assert not sight.denies(RelPath.parse("tests/hidden.py"))


def test_a_chain_of_links_has_an_end(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"l{number}").symlink_to(f"l{number + 1}")
    (tmp_path / "l60").write_text("x")
    with Root.open(str(tmp_path)) as root:
        assert str(PackSight(root).behind(RelPath.parse("l30"))) == "l60"
        with pytest.raises(PathRefused) as refused:
            PackSight(root).behind(RelPath.parse("l0"))
    assert refused.value.code == "symlink"
