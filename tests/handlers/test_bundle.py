"""Everything that explains a failed change is put into one file."""

from __future__ import annotations

from pathlib import Path

from support.bench import Bench


def test_a_run_tells_of_its_bundle(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.run("p [prompt=x]\nb [type=bundle, rounds=p]\nstart -> p -> b -> done")
    assert "BUNDLE_CREATED b" in bench.events()
    assert bench.path("failure_bundle.zip").exists()
