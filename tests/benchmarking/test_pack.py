"""The rows about packing files, and the repository that they are packed of."""

from __future__ import annotations

from pathlib import Path

from benchmarks.rounds import Result
from benchmarks.subjects import QUICK
from benchmarks.subjects.pack import plant, rows


def results(own: float, peer: float, *digests: float) -> dict[str, Result]:
    return {
        "custody": Result([{"seconds": own, "digest": digest} for digest in digests]),
        "repomix": Result([{"seconds": peer}]),
        "plain": Result(failure="not installed"),
    }


def test_the_bar_is_reached_or_not() -> None:
    quick, plain = rows(results(0.1, 2.5, 1.0, 1.0), QUICK)
    assert (str(quick.custody), quick.reached) == ("100 ms, the same bytes 2 times", "yes")
    assert (plain.reached, plain.peer.failure) == ("-", "not installed")
    slow, _ = rows(results(0.2, 2.5, 1.0, 2.0), QUICK)
    assert (slow.reached, "NOT THE SAME" in str(slow.custody)) == ("NO", True)


def test_the_repository_has_what_is_packed(tmp_path: Path) -> None:
    packed = plant(str(tmp_path), 200, 20)
    assert len(set(packed)) == 20
    assert all((tmp_path / path).is_file() for path in packed)
    assert sum(path.is_file() for path in tmp_path.rglob("*.*") if ".git" not in path.parts) == 200
