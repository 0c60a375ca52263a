"""What may lie among the layers of a run; what refused stages left is tried in test_layers."""

from __future__ import annotations

from custody.engine.layer_audit import check_layers
from custody.store.history import History
from custody.store.rundir import RunDirectory
from support.bench import Bench


def found(bench: Bench, *, ended: bool) -> list[tuple[str, str]]:
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        return [(one.code, one.where) for one in check_layers(History.read(run), ended=ended)]


def test_a_run_without_layers_has_none_to_check(bench: Bench) -> None:
    bench.run('a [prompt="x"]\nstart -> a -> done')
    assert found(bench, ended=True) == []


def test_layers_that_no_line_knows_belong_to_nobody_once_the_run_has_ended(bench: Bench) -> None:
    bench.run('a [prompt="x"]\nstart -> a -> done')
    bench.path("layers/a/1.1/upper").mkdir(parents=True)
    assert found(bench, ended=False) == []
    assert found(bench, ended=True) == [("unclaimed", "layers/a/1.1")]
