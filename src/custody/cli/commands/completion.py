"""Print a script that completes commands in your shell."""

from __future__ import annotations

from argparse import Namespace

from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError

ABOUT = "Print a script that makes your shell complete commands, options and file names."
EXAMPLES = (
    'eval "$(custody completion bash)"',
    "custody completion zsh > ~/.zfunc/_custody",
)
SHELLS = ("bash", "zsh", "tcsh", "fish")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def execute(options: Namespace) -> Result:
    """Print the script."""
    made = script(options.shell)
    return Result(
        data={"shell": options.shell, "script": made},
        text=[Line(line) for line in made.rstrip("\n").split("\n")],
        verbatim=True,
    )


def script(shell: str) -> str:
    """Return the script for a shell; raises `UsageError` where shtab is missing."""
    from custody.cli.commands import commands
    from custody.cli.parser import build

    try:
        import shtab
    except ImportError:
        raise UsageError(
            "completion needs the package shtab", hint="pip install 'custody-runtime[completion]'"
        ) from None
    if shell not in shtab.SUPPORTED_SHELLS:
        raise UsageError(f"this version of shtab does not support {shell}", hint="upgrade shtab")
    return str(shtab.complete(build(commands(), commands()), shell))
