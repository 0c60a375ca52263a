"""Say what would run, in which order and why."""

from __future__ import annotations

import os
from argparse import Namespace

from custody.cli import options as declare
from custody.cli.result import Arguments, Result

ABOUT = (
    "Say what a run would do, without doing any of it: every stage in order, what it asks for,\n"
    "what it may write, how often it is tried and how the next edge is chosen; and what programs\n"
    "see of this machine."
)
EXAMPLES = ("custody plan pipeline.dot", "custody plan fix_test --json")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.pipeline(parser)


def execute(options: Namespace) -> Result:
    """Say what would happen."""
    from custody import api
    from custody.cli.render.plan import plan, sight
    from custody.sandbox.environment import base_environment
    from custody.sandbox.toolchains import seen_at_l3
    from custody.store.own_settings import own_settings

    pipeline, stages = api.plan(options.pipeline)
    shown = seen_at_l3(base_environment(os.environ), own_settings(os.environ).toolchains)
    return Result(
        data={
            "pipeline": pipeline.name,
            "pipeline_sha256": pipeline.sha256,
            "goal": pipeline.goal,
            "variables": pipeline.variables,
            "stages": stages,
            "readable": shown,
        },
        text=[*plan(pipeline, stages), *sight(shown)],
    )
