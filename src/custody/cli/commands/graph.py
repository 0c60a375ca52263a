"""Draw a pipeline."""

from __future__ import annotations

import os
from argparse import Namespace

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError

ABOUT = (
    "Draw a pipeline as text, as DOT in its normal form, or as SVG, which needs `dot` of\n"
    "Graphviz. With -o, the extension of the file chooses the format."
)
EXAMPLES = ("custody graph pipeline.dot", "custody graph pipeline.dot -o pipeline.svg")
FORMATS = ("text", "dot", "svg")
_ENDINGS = {".txt": "text", ".dot": "dot", ".gv": "dot", ".svg": "svg"}
_TIMEOUT = 60.0


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.pipeline(parser)
    parser.add_argument(
        "--format", choices=FORMATS, default="", help="default: text; with -o by its extension"
    )
    output = parser.add_argument(
        "-o", "--output", metavar="FILE", default="", help="file to write, replaced if it exists"
    )
    output.complete = declare.FILE


def execute(options: Namespace) -> Result:
    """Draw it."""
    from custody import api

    form = options.format or _form_of(options.output)
    text = api.picture(options.pipeline, "text" if form == "text" else "dot")
    if form == "svg":
        text = _svg(text)
    if not options.output:
        lines = [Line(line) for line in text.rstrip("\n").split("\n")]
        return Result(data={"format": form, "text": text}, text=lines, verbatim=True)
    api.save(options.output, text.encode())
    return Result(
        data={"format": form, "written": options.output}, text=[Line(f"wrote {options.output}")]
    )


def _form_of(output: str) -> str:
    if not output:
        return "text"
    return _ENDINGS.get(os.path.splitext(output)[1].lower(), "svg")


def _svg(text: str) -> str:
    """Let Graphviz lay the graph out."""
    import subprocess

    try:
        done = subprocess.run(
            ["dot", "-Tsvg"],
            input=text.encode(),
            capture_output=True,
            check=False,
            timeout=_TIMEOUT,
        )
    except FileNotFoundError:
        raise UsageError(
            "SVG needs `dot`, which is not on PATH",
            hint="install Graphviz, or draw with `--format text` or `--format dot`",
        ) from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"`dot` did not end within {_TIMEOUT:.0f} s") from None
    if done.returncode:
        raise UsageError(f"`dot` failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode()
