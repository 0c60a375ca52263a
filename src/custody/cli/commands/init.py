"""Write a pipeline for a project, or a small one to start from."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

if TYPE_CHECKING:
    from custody.scaffold.project import Project

ABOUT = (
    "Look at a folder and write a pipeline for it, with a settings file. The pipeline runs the\n"
    "project's own tests, asks an agent to repair the code while they fail, and lets the same\n"
    "tests judge the result. If the folder has no project with tests, a sample is written that\n"
    "runs offline as it is. If one of the files exists, nothing is written.\n"
    "In a git repository, .gitignore gets the line `.custody/`, so that no run is committed."
)
EXAMPLES = (
    "custody init",
    "custody init --test 'make check'",
    "custody init --sample greeting && cd greeting && custody run",
    "custody init --contracts",
)
IGNORED = ".custody/"
SAMPLE = ("pipeline.dot", "answers.json", "custody.toml")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    folder = parser.add_argument(
        "folder", metavar="DIR", nargs="?", default=".", help="folder (default: the current one)"
    )
    folder.complete = declare.FOLDER
    parser.add_argument(
        "--test",
        metavar="COMMAND",
        default="",
        help="command that runs the tests (default: detected)",
    )
    parser.add_argument(
        "--sample", action="store_true", help="write the sample, whatever the folder holds"
    )
    parser.add_argument(
        "--contracts",
        action="store_true",
        help="write the documents that a change needs and that are missing",
    )


def execute(options: Namespace) -> Result:
    """Write the files."""
    from custody import api
    from custody.errors import UsageError
    from custody.store.places import is_folder

    if options.contracts:
        return _contracts(options.folder)
    if options.sample and options.test:
        raise UsageError("--sample has no tests to run", hint="give one of --sample, --test")
    found: Project | None = None
    passed_over = False
    agents: tuple[str, ...] = ()
    files = _sample()
    if not options.sample and is_folder(options.folder):
        project, there, repair = api.project(options.folder, tests=options.test)
        if project.tests:
            found, agents, files = project, there, repair
        passed_over = found is None and bool(project.code)
    written = api.scaffold(options.folder, files, ignored=IGNORED)
    about = None
    if found is not None:
        about = {"kind": found.kind, "tests": found.tests, "code": found.code, "agents": agents}
    return Result(
        data={"written": written, "project": about},
        text=_lines(written, options.folder, found, agents, passed_over=passed_over),
    )


def _contracts(folder: str) -> Result:
    """Write the documents of a change that are not there yet."""
    import os

    from custody import api
    from custody.scaffold.contracts import contract_files
    from custody.store.places import is_there

    files = contract_files()
    missing = {
        name: data for name, data in files.items() if not is_there(os.path.join(folder, name))
    }
    written = api.scaffold(folder, missing)
    kept = [name for name in files if name not in missing]
    lines = [Line(f"wrote {path}") for path in written]
    lines += [Line(f"{name} is there, and stays as it is", "faint") for name in kept]
    lines.append(Line("next: custody change start GOAL --lite COMMAND"))
    return Result(data={"written": written, "kept": kept}, text=iter(lines))


def _sample() -> dict[str, bytes]:
    from importlib.resources import files

    folder = files("custody.cli") / "sample"
    return {name: (folder / name).read_bytes() for name in SAMPLE}


def _lines(
    written: tuple[str, ...],
    folder: str,
    found: Project | None,
    agents: tuple[str, ...],
    *,
    passed_over: bool,
) -> Iterator[Line]:
    import shlex

    if found is not None:
        yield from _about(found)
    elif passed_over:
        what = "no tests were found here, so this is a sample: name yours by --test COMMAND"
        yield Line(what, "warn", hang=2)
    for path in written:
        yield Line(f"wrote {path}")
    if found is not None:
        yield from _to_name(found, agents)
    enter = "" if folder == "." else f"cd {shlex.quote(folder)} && "
    yield Line(f"next: {enter}custody run")


def _about(found: Project) -> Iterator[Line]:
    yield Line(f"found {found.kind}: {found.tests}")
    if found.doubt:
        yield Line(f"  {found.doubt}", "warn", hang=4)
    changed = ", ".join(found.code) or "nothing yet"
    yield Line(f"an agent may change {changed}", hang=2)
    if found.mixed and found.code:
        what = "tests may lie among them and could be changed as well: look at the diff"
        yield Line(f"  {what}", "warn", hang=4)


def _to_name(found: Project, agents: tuple[str, ...]) -> Iterator[Line]:
    """Return what a run would be refused for until somebody has named it."""
    from custody.scaffold.repair import PIPELINE, SETTINGS

    if not found.code:
        what = f"no code was found: name what may change by allowed_write_paths in {PIPELINE}"
        yield Line(what, "warn", hang=2)
    if not agents:
        what = f"no agent is on PATH: install one, then name it in {SETTINGS} or by --agent"
        yield Line(what, "warn", hang=2)
