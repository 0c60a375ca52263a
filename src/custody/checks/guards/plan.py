"""A verification plan: read what an agent wrote, and admit what may be run.

Nothing in a plan is trusted. Its shape is strict, its files are paths of the workspace, and
its commands pass the command guard one by one; the first that may not run refuses the whole
plan, so that nothing runs of a plan that is not allowed as a whole. A plan that asks for
nothing proves nothing and is refused as well, unless the pipeline demands commands of its own.

Those come first, and a plan can only add to them: nobody is judged by a check of his own choosing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from custody.errors import CommandRefused, MalformedDocument, PathRefused, Refused
from custody.model.journal_version import CURRENT, JournalVersion
from custody.model.plan import VerificationPlan
from custody.model.record import SCHEMA_VERSION, decode
from custody.model.relpath import RelPath
from custody.model.request import CommandLine

FILES_LIMIT = 100
COMMANDS_LIMIT = 50
LENGTH_LIMIT = 4000
"""Characters in one path or command."""
_OWN, _FILES = "required_files", "files"
"""What a plan calls the files that must be there, and what another system calls them."""


def read_plan(
    value: object, where: str, *, may_be_empty: bool = False, version: JournalVersion = CURRENT
) -> VerificationPlan:
    """Read a plan from a context value: JSON text, or what JSON text was read into.

    Its files may be called ``files``, as another system does, in journals since 1.3.

    Raises `MalformedDocument` with code ``encoding``, ``json``, ``duplicate_key``, ``type``,
    ``schema_version``, ``limit`` or ``empty``.
    """
    plan = _decoded(value, where, either_name=version.plans_offered)
    if plan.schema_version != SCHEMA_VERSION:
        raise MalformedDocument(
            "schema_version", f"version {plan.schema_version!r} is not known", where=where
        )
    if not may_be_empty and not plan.required_files and not plan.commands:
        raise MalformedDocument("empty", "the plan asks for nothing", where=where)
    _check_limits("required_files", plan.required_files, FILES_LIMIT, where)
    _check_limits("commands", plan.commands, COMMANDS_LIMIT, where)
    return plan


def admit_plan(
    plan: VerificationPlan,
    allowed: Sequence[str],
    workdir: str = "",
    version: JournalVersion = CURRENT,
) -> tuple[tuple[RelPath, ...], tuple[CommandLine, ...]]:
    """Return the files that must be there and what to start; raises `Refused`.

    Files are relative to the workspace; commands start in ``workdir``.
    """
    files = tuple(_admit_file(path) for path in plan.required_files)
    known_only = not version.variables_open
    lines = tuple(_admit_command(text, allowed, workdir, known_only) for text in plan.commands)
    return files, lines


def admit_required(
    commands: Sequence[str], workdir: str = "", version: JournalVersion = CURRENT
) -> tuple[CommandLine, ...]:
    """Return what to start for commands that the pipeline demands; raises `CommandRefused`.

    They need no allowlist. The exit code of each program must count, so ``||`` and ``;`` are
    refused with ``operator``; a program named by an absolute path is refused with ``program``.
    """
    known_only = not version.variables_open
    return tuple(_admit_required(text, workdir, known_only=known_only) for text in commands)


def _admit_required(text: str, workdir: str, *, known_only: bool) -> CommandLine:
    from custody.checks.guards.command import parse_command

    line = parse_command(text, workdir=workdir, known_only=known_only)
    for command in line.commands:
        if command.joined_by in {"||", ";"}:
            raise CommandRefused(
                "operator",
                f"{command.joined_by!r} hides whether the command before it failed",
                hint="join commands by &&, or make each an entry of its own",
            )
        if command.argv[0].startswith("/"):
            raise CommandRefused(
                "program",
                f"the program {command.argv[0]!r} is named by an absolute path",
                hint="name it as it is found on PATH",
            )
    return line


def _decoded(value: object, where: str, *, either_name: bool) -> VerificationPlan:
    if isinstance(value, VerificationPlan):
        return value
    if either_name and isinstance(value, dict) and _FILES in value and _OWN not in value:
        value = {_OWN if name == _FILES else name: each for name, each in value.items()}
    try:
        data = value.encode() if isinstance(value, str) else msgspec.json.encode(value)
    except UnicodeEncodeError:
        raise MalformedDocument("encoding", "the plan is not valid Unicode", where=where) from None
    except (TypeError, RecursionError) as error:
        raise MalformedDocument("type", f"the plan is not JSON: {error}", where=where) from None
    if either_name and isinstance(value, str) and f'"{_FILES}"' in value:
        return _decoded(decode(data, dict[str, Any], where=where), where, either_name=True)
    return decode(data, VerificationPlan, where=where)


def _check_limits(name: str, items: Sequence[str], limit: int, where: str) -> None:
    if len(items) > limit:
        raise MalformedDocument(
            "limit", f"{name} has {len(items)} entries, more than {limit}", where=where
        )
    for index, item in enumerate(items):
        if len(item) > LENGTH_LIMIT:
            raise MalformedDocument(
                "limit", f"{name}[{index}] is longer than {LENGTH_LIMIT} characters", where=where
            )


def _admit_file(path: str) -> RelPath:
    try:
        return RelPath.parse(path)
    except PathRefused as refused:
        raise Refused(
            refused.code, f"required file not allowed: {_on_one_line(path)}", hint=refused.what
        ) from None


def _admit_command(
    text: str, allowed: Sequence[str], workdir: str, known_only: bool
) -> CommandLine:
    from custody.checks.guards.command import admit

    try:
        return admit(text, allowed, workdir=workdir, known_only=known_only)
    except CommandRefused as refused:
        hint = f"{refused.what}; {refused.hint}" if refused.hint else refused.what
        what = f"verification command not allowed: {_on_one_line(text)}"
        if refused.code == "env" and not known_only:
            what = f"{what}: {refused.what}"
        raise CommandRefused(refused.code, what, hint=hint) from None


def _on_one_line(text: str) -> str:
    return text if text.isprintable() else repr(text)[1:-1]
