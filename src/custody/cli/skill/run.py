"""``custody skill run``: a job, to PASS or FAIL."""

from __future__ import annotations

from argparse import Namespace

from custody.cli.result import Result


def execute(options: Namespace) -> Result:
    """Run the skill."""
    from custody import skill
    from custody.cli import config
    from custody.cli.skill.choice import choose
    from custody.cli.skill.report import job_result
    from custody.cli.watch import watching

    wanted = skill.WantedJob(
        skill=options.subject,
        design=options.design,
        adapter=options.adapter,
        select=options.select or choose(options.design, options.cwd or "."),
        timeout=options.timeout,
    )
    with watching(verbose=options.verbose, quiet=options.quiet) as board:
        result = skill.run(
            wanted,
            cwd=options.cwd or ".",
            runsdir=options.runsdir,
            run_id=options.run_id,
            confinement=config.setting("confinement", options.confinement),
            listeners=(board.hear,),
        )
    return job_result(result, options)
