"""Arguments that several commands have."""

from __future__ import annotations

import os

from custody.cli.result import Arguments
from custody.errors import StorageFailed, UsageError
from custody.store.packages import module_names

FILE = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "tcsh": "f",
    "fish": "(__fish_complete_path (commandline -ct))",
}
FOLDER = {
    "bash": "_shtab_compgen_dirs",
    "zsh": "_files -/",
    "tcsh": "d",
    "fish": "(__fish_complete_directories)",
}
"""How each shell completes the name of a file or a folder."""


def run(parser: Arguments) -> None:
    """Declare RUN, and where runs are."""
    argument = parser.add_argument(
        "run", metavar="RUN", help="id, unique prefix of it, run directory, or `last`"
    )
    argument.complete = FOLDER
    runsdir(parser)


def runsdir(parser: Arguments) -> None:
    """Declare where runs are."""
    argument = parser.add_argument(
        "--runsdir", metavar="DIR", default="", help="folder of the runs (default: .custody/runs)"
    )
    argument.complete = FOLDER


def logbook(parser: Arguments) -> None:
    """Declare where the logbook is, and its artifacts."""
    argument = parser.add_argument(
        "--logbook",
        metavar="URL",
        default="",
        help="the logbook: a file, or postgresql://… (default: one in your data folder)",
    )
    argument.complete = FILE
    argument = parser.add_argument(
        "--artifacts",
        metavar="URL",
        default="",
        help="where its bytes are: a folder, or s3://BUCKET/PREFIX (default: beside it)",
    )
    argument.complete = FOLDER


def pipeline(parser: Arguments, default: str = "") -> None:
    """Declare one pipeline, which must be named where there is no default."""
    argument = parser.add_argument(
        "pipeline",
        metavar="PIPELINE",
        help="a .dot file, or the name of a packaged pipeline"
        + (f" (default: {default})" if default else ""),
        **({"nargs": "?", "default": ""} if default else {}),
    )
    argument.complete = FILE


def agent(parser: Arguments, default: str = "none") -> None:
    """Declare who works on stages that name no agent."""
    parser.add_argument(
        "--agent",
        metavar="AGENT",
        default="",
        help=f"agent of stages that name none: {', '.join(agents())}, or an installed one; an "
        f"argument follows a colon, as in fake:FILE (default: {default})",
    )


def agents() -> list[str]:
    """Return the packaged agents by their files; help imports none of them."""
    import custody

    return module_names(os.path.join(folder, "executors", "agents") for folder in custody.__path__)


def new_run(parser: Arguments, workdir: str, resume: str) -> None:
    """Declare where a run starts from and what it is called; the texts say what is done with it."""
    folder = parser.add_argument("--workdir", metavar="DIR", default="", help=workdir)
    folder.complete = FOLDER
    runsdir(parser)
    parser.add_argument(
        "--run-id", metavar="ID", default="", help="name of the run (default: made from the time)"
    )
    parser.add_argument("--resume", action="store_true", help=resume)


def confinement(parser: Arguments) -> None:
    """Declare how programs are confined."""
    parser.add_argument(
        "--confinement",
        metavar="LEVEL",
        default="",
        help="L3, L2, or L1 for none at all (default: the strongest available of L3 and L2)",
    )


def ingest(parser: Arguments) -> None:
    """Declare that blocks of documents become files."""
    parser.add_argument(
        "--ingest",
        action="store_true",
        help="write the fenced files of every document into the workspace, whatever nodes say",
    )


def roles(parser: Arguments) -> None:
    """Declare who works on stages that name a role."""
    parser.add_argument(
        "--role",
        metavar="ROLE=AGENT",
        dest="roles",
        action="append",
        default=[],
        help="agent of stages that name this role and no agent; may be repeated",
    )


def documents(parser: Arguments) -> None:
    """Declare what is handed in."""
    parser.add_argument(
        "--document",
        metavar="PATH=FILE",
        dest="documents",
        action="append",
        default=[],
        help="a document to hand in when the run starts, such as "
        "artifacts/guardrails.md=rules.md; may be repeated",
    )


def pairs(words: list[str], option: str, form: str) -> dict[str, str]:
    """Read ``name=value`` words of an option that is repeated; raises `UsageError`."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise UsageError(f"{option} takes {form}, not {word!r}")
        if name in found:
            raise UsageError(f"{option} gives {name!r} twice")
        found[name] = value
    return found


def files(words: list[str]) -> dict[str, bytes]:
    """Return what the files hold that ``--document`` names, by document; raises `UsageError`."""
    from custody.store.root import read_file

    named = pairs(words, "--document", "PATH=FILE")
    try:
        return {path: read_file(file) for path, file in named.items()}
    except StorageFailed as error:
        raise UsageError(f"--document: {error.what}", where=error.where, hint=error.hint) from error


def verbose(parser: Arguments) -> None:
    """Declare progress as lines."""
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print a line when a stage ends"
    )


def quiet(parser: Arguments) -> None:
    """Declare that the verdict alone is wanted."""
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="show no progress, and of the report only the verdict, what failed and the head",
    )


def accept_change(parser: Arguments) -> None:
    """Declare that another pipeline may take over."""
    parser.add_argument(
        "--accept-pipeline-change",
        dest="accept_change",
        action="store_true",
        help="continue although the pipeline has changed; finished stages that did not change are "
        "kept",
    )
