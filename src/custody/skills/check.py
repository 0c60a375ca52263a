"""Everything that is wrong with a skill: its contract, and the files that it needs.

Beside the codes of `custody.skills.contract`:

    missing   there is no contract, or a script that it names is not there; a symlink and whatever
              else is no plain file has the code that `Root` gives
    name      the contract calls the skill otherwise than its folder is called
    reserved  a script would take the place of one of the job's own
    empty     a script that holds nothing
    readme    there is no README.md: a warning
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

from custody.errors import PathRefused, StorageFailed
from custody.model.finding import Finding, Severity
from custody.model.skill.contract import CONTRACT_FILE, Contract
from custody.skills.contract import read_contract
from custody.skills.find import Skill
from custody.skills.yaml_nodes import SIZE_LIMIT
from custody.store.root import Root

TEMPLATES = "templates"
README = "README.md"
SCRIPT_LIMIT = 1 << 20
ANY_NAMES = sys.maxsize
"""Installers give the files of a package as many names as they like."""
RESERVED = ("bootstrap.tcl", "restore_wrapper.tcl")
"""Scripts that a job writes itself."""


class CheckedSkill(NamedTuple):
    """A skill, what its contract says if all of it can be meant, and what is wrong."""

    skill: Skill
    contract: Contract | None
    findings: tuple[Finding, ...]


def check_skill(skill: Skill) -> CheckedSkill:
    """Look at a skill; nothing of it is run. Symlinks are not followed."""
    try:
        with Root.open(skill.path) as root:
            data = root.read(CONTRACT_FILE, limit=64 * SIZE_LIMIT, links=ANY_NAMES)
            contract, findings = read_contract(data)
            files = tuple(_files(root, skill, contract)) if contract else ()
    except (PathRefused, StorageFailed) as refused:
        wrong = _finding(_code(refused), f"{CONTRACT_FILE} cannot be read: {refused.what}")
        return CheckedSkill(skill, None, (wrong,))
    return CheckedSkill(skill, contract, (*findings, *files))


def _files(root: Root, skill: Skill, contract: Contract) -> Iterator[Finding]:
    """Find what is wrong with the files of a skill whose contract is sound."""
    if contract.name != skill.name:
        what = f"the contract says {contract.name!r}, and the folder is {skill.name!r}"
        yield _finding("name", what, hint="give both one name")
    for script in contract.scripts:
        if trouble := _trouble(root, script.entry):
            yield _finding(*trouble, file=script.entry)
    made = {f"{script.name}_{contract.name}.tcl" for script in contract.scripts}
    for name in root.names(TEMPLATES) if root.exists(TEMPLATES) else ():
        if name in RESERVED or name in made:
            what = f"a job writes a script of its own that is called {name}"
            yield _finding("reserved", what, file=f"{TEMPLATES}/{name}", hint="rename it")
    if not root.exists(README):
        what = "nothing says what the skill needs and leaves"
        yield _finding("readme", what, file=README, severity="warning")


def _trouble(root: Root, path: str) -> tuple[str, str] | None:
    try:
        data = root.read(path, limit=SCRIPT_LIMIT, links=ANY_NAMES)
    except (PathRefused, StorageFailed) as refused:
        return _code(refused), f"the script cannot be read: {refused.what}"
    return None if data.strip() else ("empty", "the script holds nothing")


def _code(refused: PathRefused | StorageFailed) -> str:
    return refused.code if isinstance(refused, PathRefused) else "unreadable"


def _finding(
    code: str, what: str, *, file: str = CONTRACT_FILE, hint: str = "", severity: Severity = "error"
) -> Finding:
    return Finding(
        code=code, message=what, line=0, column=0, hint=hint, severity=severity, file=file
    )
