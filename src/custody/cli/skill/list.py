"""`custody skill list`: the skills that can be run here."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli.result import Line, Result

if TYPE_CHECKING:
    from custody.skills.check import CheckedSkill


def execute(options: Namespace) -> Result:
    """List them: a repository's own first, then the packaged ones."""
    from custody.skills.check import check_skill
    from custody.skills.find import all_skills

    del options
    checked = [check_skill(skill) for skill in all_skills()]
    return Result(data={"skills": [_told(one) for one in checked]}, text=_lines(checked))


def _told(checked: CheckedSkill) -> dict[str, object]:
    contract = checked.contract
    errors = sum(found.severity == "error" for found in checked.findings)
    return {
        "name": checked.skill.name,
        "path": checked.skill.path,
        "packaged": checked.skill.packaged,
        "tool": contract.tool if contract else "",
        "version": contract.version if contract else "",
        "description": contract.description if contract else "",
        "errors": errors,
    }


def _lines(checked: list[CheckedSkill]) -> Iterator[Line]:
    width = max((len(one.skill.name) for one in checked), default=0)
    for one in checked:
        told = _told(one)
        origin = "packaged" if one.skill.packaged else "own"
        if told["errors"]:
            says = f"broken: `custody skill check {one.skill.name}` says why"
            yield Line(f"{one.skill.name:{width}}  {origin:8}  {says}", "bad", hang=width + 12)
        else:
            says = f"{told['tool']}  {told['version']}  {told['description']}".strip()
            yield Line(f"{one.skill.name:{width}}  {origin:8}  {says}", hang=width + 12)
