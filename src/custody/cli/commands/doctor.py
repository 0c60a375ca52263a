"""Say how well this machine confines stages."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result, Tone
from custody.model.levels import MEANINGS

if TYPE_CHECKING:
    from custody.cli.config import Setting
    from custody.model.own_settings import OwnEvidence
    from custody.sandbox.left_open import Opening
    from custody.skills.launchers import Launcher
    from custody.skills.tools import Tool
    from custody.supervise.probe import Diagnosis, HeldLimits

ABOUT = (
    "Say how well this machine can confine what a stage starts, why not better, where every\n"
    "setting comes from, and which agents there are. With --agent, make one real call of that\n"
    "agent instead, as a stage would, and print its answer; this may cost a few tokens."
)
EXAMPLES = ("custody doctor", "custody doctor --json", "custody doctor --agent codex")

_HOLDERS = {
    "cgroup": "held by a control group",
    "rlimit": "held by an rlimit",
    "watcher": "watched, and ended a moment later",
}
_UNSET = {
    "confinement": "the best there is",
    "output_limit": "20K",
    "logbook": "in your data folder",
    "artifacts": "beside the logbook",
}
"""What holds where nothing is said; else nothing does."""
_VALUE = 19
"""The column at which values begin."""


class FoundTool(NamedTuple):
    """Where the program of a tool is."""

    command: tuple[str, ...]
    looked_for: str
    program: str
    """Its file; empty where there is none."""


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.runsdir(parser)
    parser.add_argument(
        "--agent", metavar="AGENT", default="", help="make one real call of this agent, confined"
    )
    declare.confinement(parser)
    declare.ingest(parser)


def execute(options: Namespace) -> Result:
    """Look at the machine, at the settings and at the agents; or ask an agent."""
    from custody import api
    from custody.cli import config

    if options.agent:
        return _try(options)
    from custody.model.own_settings import OwnTool
    from custody.skills.launchers import choose, known
    from custody.skills.tools import TOOLS
    from custody.store.own_settings import own_settings

    given = {**vars(options), "ingest": "true" if options.ingest else ""}
    settings = [config.origin(name, given.get(name, "")) for name in config.DEFAULTS]
    diagnosis = api.doctor(config.setting("runsdir", options.runsdir))
    agents = api.agents()
    own = own_settings(os.environ)
    toolchains = own.toolchains
    openings = diagnosis.left_open
    launchers, used = known(own.skills, os.environ), choose("", own.skills, os.environ)
    tools = {
        name: _tool(tool, own.skills.tools.get(name, OwnTool()).command)
        for name, tool in TOOLS.items()
    }
    return Result(
        data={
            "confinement": diagnosis,
            "left_open": {"L2": [opening._asdict() for opening in openings]},
            "settings": [item.shown()._asdict() for item in settings],
            "toolchains": toolchains,
            "evidence": own.evidence,
            "agents": agents,
            "skills": {
                "launcher": used.name,
                "launchers": {one.name: _launcher(one) for one in launchers},
                "tools": {name: tool._asdict() for name, tool in tools.items()},
            },
        },
        text=[
            *_about_machine(diagnosis),
            *_about_limits(diagnosis.limits),
            *_about_openings(openings),
            *_about_settings(settings),
            *_about_toolchains(toolchains),
            *_about_evidence(own.evidence),
            *_about_agents(agents),
            *_about_launchers(launchers, used.name),
            *_about_tools(tools),
        ],
    )


def _try(options: Namespace) -> Result:
    from custody import api
    from custody.cli import config
    from custody.cli.render.trial import trial

    confinement = config.setting("confinement", options.confinement)
    made = api.try_agent(options.agent, confinement=confinement)
    ended = made.answered or made.waits
    return Result(data=made._asdict(), text=trial(made), status="PASS" if ended else "FAIL")


def _about_machine(diagnosis: Diagnosis) -> Iterator[Line]:
    level = diagnosis.offer.level
    tone: Tone = "good" if level == "L3" else "bad" if level == "L1" else "warn"
    yield Line(f"confinement {level}: {MEANINGS[level]}", tone)
    for higher, reason in diagnosis.offer.reasons.items():
        yield Line(f"  not {higher}: {reason}", "warn", hang=4)
    for obstacle in diagnosis.obstacles:
        yield Line(f"  {obstacle.what}", "warn", hang=4)
        yield Line(f"    hint: {obstacle.hint}", hang=6)
    features = diagnosis.features
    yield Line(f"kernel {features.kernel} on {features.machine}", "strong")
    yield Line(f"  Landlock ABI     {features.landlock_abi or 'none'}")
    yield Line(f"  openat2          {_said(features.openat2)}")
    yield Line(f"  overlay          {_said(features.overlay)}")
    yield Line(f"  user namespaces  {features.user_namespaces or 'none'}")


def _about_openings(openings: tuple[Opening, ...]) -> Iterator[Line]:
    yield Line("what L2 leaves open, and L3 does not", "strong")
    for opening in openings:
        yield Line(f"  {opening.name:<16} {opening.what}", hang=_VALUE)


def _about_limits(held: HeldLimits) -> Iterator[Line]:
    yield Line("limits of a stage", "strong")
    for limit, holder in held.held_by.items():
        yield Line(f"  {held.limits.told(limit):<22} {_HOLDERS[holder]}", hang=25)
    if held.no_cgroup:
        yield Line(f"  no control group: {held.no_cgroup}", "warn", hang=4)


def _about_settings(settings: list[Setting]) -> Iterator[Line]:
    yield Line("settings", "strong")
    for setting in settings:
        value = setting.shown().value or _UNSET.get(setting.name, "none")
        yield Line(f"  {setting.name:<16} {value}  ({setting.origin})", hang=_VALUE)


def _about_toolchains(toolchains: tuple[str, ...]) -> Iterator[Line]:
    if toolchains:
        yield Line("toolchains that every stage may read", "strong")
        yield from (Line(f"  {folder}") for folder in toolchains)


def _about_evidence(evidence: OwnEvidence) -> Iterator[Line]:
    from custody.cli.config import user_file
    from custody.resolvers.documents import docs_root
    from custody.store.own_settings import DOCS_ROOT

    named = DOCS_ROOT if os.environ.get(DOCS_ROOT) else user_file()
    root = docs_root(evidence, os.getcwd())
    places = {
        "files": evidence.file_roots,
        "git": [f"{name}: {place}" for name, place in evidence.git.items()],
        "svn": [f"{name}: {place}" for name, place in evidence.svn.items()],
        "https": evidence.https.servers,
    }
    yield Line("where evidence may be", "strong")
    yield Line(
        f"  documents        {root}  ({named if evidence.docs_root else 'default'})", hang=_VALUE
    )
    for kind, found in places.items():
        for place in found:
            yield Line(f"  {kind:<16} {place}  ({user_file()})", hang=_VALUE)


def _about_agents(agents: dict[str, str]) -> Iterator[Line]:
    yield Line("agents", "strong")
    width = max(map(len, agents))
    for name, doc in agents.items():
        yield Line(f"  {name:<{width}}  {doc}", hang=width + 4)


def _about_launchers(launchers: tuple[Launcher, ...], used: str) -> Iterator[Line]:
    yield Line("launchers of tools", "strong")
    for one in launchers:
        place = _there(one.command) or "this machine"
        mark = ", used where nothing is said" if one.name == used else ""
        yield Line(f"  {one.name:<16} {place}  ({one.origin}{mark})", hang=_VALUE)


def _about_tools(tools: Mapping[str, FoundTool]) -> Iterator[Line]:
    yield Line("tools of skills", "strong")
    for name, tool in tools.items():
        where = tool.program or f"not there: {tool.looked_for}"
        yield Line(f"  {name:<16} {where}", hang=_VALUE)


def _there(command: tuple[str, ...]) -> str:
    """Return where a command line's program is, and the rest of it."""
    from custody.skills.launchers import find

    if not command:
        return ""
    found = find(command, os.environ)
    return " ".join((found, *command[1:])) if found else f"not there: {command[0]}"


def _launcher(launcher: Launcher) -> dict[str, object]:
    from custody.skills.launchers import find

    told = launcher._asdict()
    return {**told, "program": find(launcher.command, os.environ)}


def _tool(tool: Tool, own: tuple[str, ...]) -> FoundTool:
    """Return where a tool is; ``own`` is the command line that the user starts it by, or empty."""
    from custody.skills.launchers import find

    wanted = own[0] if own else tool.program
    return FoundTool(own or tool.command, wanted, find((wanted,), os.environ))


def _said(there: bool) -> str:
    return "yes" if there else "no"
