"""A command of this machine as an agent."""

from __future__ import annotations

from support.bench import Bench


def test_the_run_names_a_local_command(bench: Bench) -> None:
    bench.run('start -> build -> done\n build [prompt="Go."]', agent="local_exec:cat")
    assert bench.path("nodes/build/1.1/response.md").read_text() == "Go.\n"
