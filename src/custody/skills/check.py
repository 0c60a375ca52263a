"""Everything that is wrong with a skill: its contract, and the files that it needs.

Beside the codes of `custody.skills.contract`:

    missing   there is no contract, or a script that it names is not there; a symlink, whatever else
              is no plain file, and a name that no path may have, has the code that `Root` gives
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
from custody.model import layout
from custody.model.finding import Finding, Severity
from custody.model.relpath import RelPath
from custody.model.skill import paths
from custody.model.skill.contract import CONTRACT_FILE, Contract
from custody.skills.contract import read_contract
from custody.skills.find import Skill
from custody.skills.yaml_nodes import SIZE_LIMIT
from custody.store.root import Root

TEMPLATES = "templates"
README = "README.md"
SCRIPT_LIMIT = 16 << 20
ANY_NAMES = sys.maxsize
"""Installers give the files of a package as many names as they like."""
RESERVED = (layout.BOOTSTRAP, layout.RESTORE_WRAPPER)
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
            files = tuple(file_findings(root, skill.name, contract)) if contract else ()
    except (PathRefused, StorageFailed) as refused:
        wrong = _finding(_code(refused), f"{CONTRACT_FILE} cannot be read: {refused.what}")
        return CheckedSkill(skill, None, (wrong,))
    return CheckedSkill(skill, contract, (*findings, *files))


def file_findings(root: Root, name: str, contract: Contract) -> Iterator[Finding]:
    """Find what is wrong with the files of a skill whose contract is sound.

    ``root`` is its folder, and ``name`` what that is called.
    """
    if contract.name != name:
        what = f"the contract says {contract.name!r}, and the folder is {name!r}"
        yield _finding("name", what, hint="give both one name")
    for script in contract.scripts:
        if trouble := _trouble(root, script.entry):
            yield _finding(*trouble, file=script.entry)
        if (made := paths.run_script(contract.name, script.name)) in RESERVED:
            what = f"as {made} the script {script.name} takes the place of one of the job's own"
            yield _finding("reserved", what, hint="give the script another name")
    yield from _template_findings(root, contract)
    if not root.exists(README):
        what = "nothing says what the skill needs and leaves"
        yield _finding("readme", what, file=README, severity="warning")


def template_names(root: Root) -> list[str]:
    """Return the files of ``templates/`` that a job copies for its scripts to source."""
    names = root.names(TEMPLATES) if root.exists(TEMPLATES) else []
    return [name for name in names if name.endswith(".tcl")]


def _template_findings(root: Root, contract: Contract) -> Iterator[Finding]:
    made = {paths.run_script(contract.name, script.name) for script in contract.scripts}
    entries = {script.entry for script in contract.scripts}
    try:
        names = template_names(root)
    except PathRefused as refused:
        code = "not_directory" if refused.code == "missing" else refused.code  # it is there
        yield _finding(code, "it is no folder that can be listed", file=TEMPLATES)
        return
    for name in names:
        path = f"{TEMPLATES}/{name}"
        if f"{layout.SCRIPTS}/{name}" in {*RESERVED, *made}:
            what = f"a job writes a script of its own that is called {name}"
            yield _finding("reserved", what, file=path, hint="rename it")
        elif path not in entries and (trouble := _trouble(root, path, empty=True)):
            yield _finding(*trouble, file=ascii(path)[1:-1])


def _trouble(root: Root, path: str, *, empty: bool = False) -> tuple[str, str] | None:
    """Return the code of what is wrong with a script, and what that is; it may be ``empty``."""
    try:
        data = root.read(RelPath.parse(path), limit=SCRIPT_LIMIT, links=ANY_NAMES)
    except (PathRefused, StorageFailed) as refused:
        return _code(refused), f"the script cannot be read: {refused.what}"
    return None if empty or data.strip() else ("empty", "the script holds nothing")


def _code(refused: PathRefused | StorageFailed) -> str:
    return refused.code if isinstance(refused, PathRefused) else "unreadable"


def _finding(
    code: str, what: str, *, file: str = CONTRACT_FILE, hint: str = "", severity: Severity = "error"
) -> Finding:
    return Finding(
        code=code, message=what, line=0, column=0, hint=hint, severity=severity, file=file
    )
