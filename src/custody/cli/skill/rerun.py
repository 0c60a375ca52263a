"""``custody skill rerun``: the job of a bundle once more, where its inputs are at hand."""

from __future__ import annotations

from argparse import Namespace

from custody.cli.result import Result


def execute(options: Namespace) -> Result:
    """Run it again."""
    from custody import skill
    from custody.cli import config
    from custody.cli.skill.report import job_result
    from custody.cli.watch import watching

    with watching(verbose=options.verbose, quiet=options.quiet) as board:
        result = skill.rerun(
            options.subject,
            cwd=options.cwd,
            runsdir=options.runsdir,
            adapter=options.adapter,
            timeout=options.timeout,
            confinement=config.setting("confinement", options.confinement),
            listeners=(board.hear,),
        )
    return job_result(result, options)
