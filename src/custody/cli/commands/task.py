"""Ask for a document with one sentence."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result
from custody.errors import RunError, UsageError
from custody.model import layout

if TYPE_CHECKING:
    from custody.api import RunResult
    from custody.engine.publish import Published

ABOUT = (
    "Ask for a document with one sentence. `single` asks once; `self_critique` has a draft\n"
    "reviewed from different perspectives; `team` plans tasks, has each one audited, and a\n"
    "committee accept them all. Questions and answers stay in the run as evidence."
)
EXAMPLES = (
    'custody task single "Explain what a hash chain is" --agent fake:single',
    'custody task self_critique "Explain it" --agent fake:self_critique --reviewers 5',
    'custody task team "Document this tool" --agent fake:team --workdir . --publish out',
)
DOCUMENTS = {
    "single": f"{layout.DOCS}/single_{{run_id}}.md",
    "self_critique": f"{layout.DOCS}/final_{{run_id}}.md",
    "team": f"{layout.DOCS}/final.md",
}
"""Each way to work on a task, and where its document is in the run directory."""
MOST_REVIEWERS = 10


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument("mode", metavar="MODE", choices=tuple(DOCUMENTS), help=", ".join(DOCUMENTS))
    parser.add_argument(
        "text", metavar="TASK", nargs="?", default="", help="the task, in your own words"
    )
    declare.new_run(
        parser,
        workdir="folder whose copy the agent may look at (default: none)",
        resume="continue the run of that id, with the task that it has",
    )
    declare.agent(parser)
    declare.confinement(parser)
    parser.add_argument(
        "--reviewers",
        metavar="N",
        type=int,
        help=f"number of reviewers for self_critique, 1 to {MOST_REVIEWERS} (default: 3)",
    )
    declare.ingest(parser)
    publish = parser.add_argument(
        "--publish",
        metavar="DIR",
        default="",
        help="copy the documents and changed files there, if the run passes; files that the run "
        "has not read are never overwritten",
    )
    publish.complete = declare.FOLDER
    parser.add_argument(
        "--print", dest="printed", action="store_true", help="print the document, nothing else"
    )
    declare.verbose(parser)
    declare.quiet(parser)


def execute(options: Namespace) -> Result:
    """Run the pipeline of that name, and hand over what it made."""
    from custody import api
    from custody.cli import config
    from custody.cli.commands.run import ingest_switch, output_limit
    from custody.cli.watch import tell_of_secrets, watching
    from custody.store.places import is_folder

    runsdir = config.setting("runsdir", options.runsdir)
    goes_on = options.resume and is_folder(os.path.join(runsdir, options.run_id))
    variables = _variables(options, goes_on=goes_on)
    agent = _agent(options.agent, goes_on=goes_on)
    tell_of_secrets(variables, agent)
    with watching(verbose=options.verbose, quiet=options.quiet) as board:
        if goes_on:
            _refuse_other_mode(api.show(options.run_id, runsdir=runsdir), options.mode)
            result = api.resume(options.run_id, runsdir=runsdir, listeners=(board.hear,))
        else:
            result = api.run(
                options.mode,
                workdir=options.workdir,
                runsdir=runsdir,
                run_id=options.run_id,
                variables=variables,
                agent=agent,
                confinement=config.setting("confinement", options.confinement),
                ingest=ingest_switch(forced=options.ingest),
                exclude=config.entries("exclude"),
                look_first=True,
                output_limit=output_limit(),
                listeners=(board.hear,),
            )
    passed = result.summary.status == "PASS"
    published = api.publish(result.path, options.publish) if options.publish and passed else None
    if options.printed and result.summary.status != "RUNNING":
        return _document(result, options.mode)
    return _report(result, options, board.failures, published)


def _refuse_other_mode(result: RunResult, mode: str) -> None:
    """Refuse to continue a run of another pipeline; the run has its own text of this one."""
    pipeline = result.summary.pipeline
    if pipeline != mode:
        what = f"run {result.run_id} is of the pipeline {pipeline!r}, not {mode!r}"
        raise UsageError(what, hint=f"custody resume {result.run_id}")


def _variables(options: Namespace, *, goes_on: bool) -> dict[str, str]:
    """Return what the pipeline is told; a run that goes on has its task already."""
    if options.resume and not options.run_id:
        raise UsageError("--resume needs --run-id", hint="or use `custody resume RUN`")
    if not options.text.strip() and not goes_on:
        raise UsageError("TASK is missing", hint=f'custody task {options.mode} "…"')
    try:
        options.text.encode()
    except UnicodeEncodeError:
        raise UsageError("the task is not UTF-8") from None
    found = {"task": options.text}
    if options.reviewers is not None:
        if options.mode != "self_critique":
            raise UsageError(f"{options.mode} has no reviewers", hint="self_critique has")
        if not 1 <= options.reviewers <= MOST_REVIEWERS:
            raise UsageError(f"--reviewers must be between 1 and {MOST_REVIEWERS}")
        found["reviewers"] = str(options.reviewers)
    return found


def _agent(flag: str, *, goes_on: bool) -> str:
    """Return who works; raises `UsageError` when nobody was named."""
    from custody.cli import config

    chosen = config.origin("agent", flag)
    if not chosen.value and not goes_on:
        hint = "name one with --agent or in custody.toml; fake:single plays recorded answers"
        raise UsageError("no agent is named", hint=hint)
    return chosen.value


def _document(result: RunResult, mode: str) -> Result:
    path = _path(result, mode)
    if result.summary.status != "PASS" or not path:
        raise RunError(
            f"run {result.run_id} ended {result.summary.status}: there is no document",
            where=result.path,
            hint=f"custody show {result.run_id}",
        )
    from custody.store.root import read_file

    text = read_file(path).decode(errors="replace")
    lines = (Line(line) for line in text.removesuffix("\n").split("\n"))
    return Result(data={"document": path, "text": text}, text=lines, verbatim=True)


def _report(
    result: RunResult,
    options: Namespace,
    failures: Mapping[str, str],
    published: Published | None,
) -> Result:
    from custody.cli.run_result import run_result, short

    path = _path(result, options.mode)
    run = run_result(result, options, failures)
    data = {"run": result, "document": path, "published": published}
    return Result(
        data=data,
        text=chain(run.text, _where(short(path), published, wanted=bool(options.publish))),
        status=run.status,
    )


def _where(path: str, published: Published | None, *, wanted: bool) -> Iterator[Line]:
    if path:
        yield Line(f"document: {path}", "strong")
    if published is not None:
        written, unchanged = len(published.written), len(published.unchanged)
        yield Line(f"published: {written} written, {unchanged} there already: {published.folder}")
        yield from (Line(f"  not deleted: {name}") for name in published.kept)
    elif wanted:
        yield Line("published: nothing, as the run did not pass", "warn")


def _path(result: RunResult, mode: str) -> str:
    """Return where the document is; empty as long as there is none."""
    from custody.store.places import is_file

    path = os.path.join(result.path, DOCUMENTS[mode].format(run_id=result.run_id))
    return path if is_file(path) else ""
