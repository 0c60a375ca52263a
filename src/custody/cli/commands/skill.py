"""Run a skill inside a resident tool, and judge what it leaves."""

from __future__ import annotations

from argparse import Namespace
from importlib import import_module

from custody.cli import options as declare
from custody.cli.result import Arguments, Result
from custody.errors import UsageError

ABOUT = (
    "Run a skill inside a tool such as Innovus or OpenSTA: `run` finds the design, starts the\n"
    "tool, restores the design in it and runs the scripts of the skill. It passes only if\n"
    "reports, metrics and log are what the contract of the skill says. A failed job leaves\n"
    "debug_bundle/, which `rerun` runs again. `list` lists the skills, `check` says what is wrong\n"
    "with one, `new` writes one. Jobs are in .skillpilot/runs."
)
EXAMPLES = (
    "custody skill list",
    "custody skill check",
    "custody skill new my_skill --tool opensta",
    "custody skill run summary_health --design top",
    "custody skill run summary_health --design ./db/top.enc --adapter dsub-i --timeout 3600",
    "custody skill rerun .skillpilot/runs/20260204_170301_18452_a3f9/debug_bundle",
)
ACTIONS = {
    "list": (),
    "check": (),
    "new": ("tool",),
    "run": (
        *("design", "adapter", "select", "timeout", "cwd", "runsdir", "run_id"),
        *("confinement", "verbose", "quiet"),
    ),
    "rerun": ("adapter", "timeout", "cwd", "runsdir", "confinement", "verbose", "quiet"),
}
"""Each a module of `custody.cli.skill`, and the options that it takes."""
_NAMELESS = ("list",)


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument("action", metavar="ACTION", choices=tuple(ACTIONS), help=", ".join(ACTIONS))
    subject = parser.add_argument(
        "subject",
        metavar="SKILL|BUNDLE",
        nargs="?",
        default="",
        help="run, check, new: a skill by its name, or its folder; rerun: a debug_bundle/; check "
        "checks all skills if none is named",
    )
    subject.complete = declare.FOLDER
    parser.add_argument(
        "--design", metavar="NAME", default="", help="run: the design, by its name or a path"
    )
    parser.add_argument(
        "--adapter", metavar="NAME", default="", help="run: what starts the tool, such as dsub-i"
    )
    parser.add_argument(
        "--select",
        metavar="N",
        type=int,
        default=0,
        help="run: which of several designs with that name",
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, help="run: how long a script may take"
    )
    folder = parser.add_argument(
        "--cwd", metavar="DIR", default="", help="the folder to work in (default: the current one)"
    )
    folder.complete = declare.FOLDER
    declare.runsdir(parser)
    parser.add_argument("--run-id", metavar="ID", default="", help="run: name of the job")
    parser.add_argument("--tool", metavar="TOOL", default="", help="new: the tool of the skill")
    declare.confinement(parser)
    declare.verbose(parser)
    declare.quiet(parser)


def execute(options: Namespace) -> Result:
    """Do what was asked for."""
    taken = ACTIONS[options.action]
    for name in sorted({name for others in ACTIONS.values() for name in others}):
        if getattr(options, name) and name not in taken:
            raise UsageError(f"{options.action} takes no --{name.replace('_', '-')}")
    if options.action in _NAMELESS:
        if options.subject:
            raise UsageError(f"{options.action} takes no {options.subject!r}")
    elif not options.subject and options.action != "check":
        what = "BUNDLE" if options.action == "rerun" else "SKILL"
        raise UsageError(f"{what} is missing", hint="`custody skill list` lists the skills")
    module = import_module(f"custody.cli.skill.{options.action}")
    result: Result = module.execute(options)
    return result
