"""Answer what a run waits for."""

from __future__ import annotations

import os
import shlex
import sys
from argparse import Namespace

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError

ABOUT = (
    "Answer what a run waits for. You answer once: an answer is never replaced. Resume the run to\n"
    "continue it. REQUEST is as `custody inbox` lists it, or NODE/VISIT.ATTEMPT if that is\n"
    "unique."
)
EXAMPLES = (
    "custody answer review/1.1 --file answer.md",
    "custody answer review/1.1 --edit",
)
TEMPLATE = "\n# Write the answer above this line; what stands below it is not part of it.\n\n"


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument("request", metavar="REQUEST", help="the request to answer")
    file = parser.add_argument(
        "--file",
        metavar="FILE",
        default="",
        help="file that holds the answer; - for standard input",
    )
    file.complete = declare.FILE
    parser.add_argument("--edit", action="store_true", help="write the answer in $EDITOR")
    declare.runsdir(parser)


def execute(options: Namespace) -> Result:
    """Hand the answer in."""
    from custody import api
    from custody.cli.mailboxes import folders
    from custody.cli.render.report import going_on

    if bool(options.file) == options.edit:
        raise UsageError("give exactly one of --file, --edit")
    asked = api.waiting_request(options.request, runsdir=folders(options.runsdir))
    text = _edited(asked.prompt) if options.edit else _given(options.file)
    runsdir, name = os.path.split(asked.path)
    done = api.answer(f"{name}/{asked.request_id}", text, runsdir=runsdir)
    where = f" --runsdir {shlex.quote(options.runsdir)}" if options.runsdir else ""
    return Result(
        data=done,
        text=[
            Line(f"answered: {done.request_id}", "good"),
            Line(f"next: {going_on(done.pipeline)} {shlex.quote(name)}{where}"),
        ],
    )


def _given(file: str) -> str:
    from custody.store.root import READ_LIMIT, read_file

    if file != "-":
        return read_file(file).decode(errors="replace")
    data = b"" if sys.stdin is None else sys.stdin.buffer.read(READ_LIMIT + 1)
    if len(data) > READ_LIMIT:
        raise UsageError(f"the answer has more than {READ_LIMIT} bytes")
    return data.decode(errors="replace")


def _edited(question: str) -> str:
    """Let the user write in an editor, with the prompt below the answer."""
    import subprocess

    from custody.store.root import read_file
    from custody.store.scratch import scratch

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    prompt = read_file(question).decode()
    with scratch() as folder:
        path = f"{folder.path}/answer.md"
        folder.write("answer.md", f"{TEMPLATE}{prompt}".encode())
        try:
            code = subprocess.run([*shlex.split(editor), path], check=False).returncode
        except (OSError, ValueError) as error:
            what = f"{editor} cannot be started: {error}"
            raise UsageError(what, hint="set $EDITOR, or use --file") from None
        if code:
            raise UsageError(f"{editor} failed", hint="set $EDITOR, or use --file")
        return (
            read_file(path).decode(errors="replace").partition(TEMPLATE.strip("\n"))[0].strip()
            + "\n"
        )
