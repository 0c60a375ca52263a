"""`custody skill check`: everything that is wrong with skills, without running them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli.result import Line, Result, Tone

if TYPE_CHECKING:
    from custody.skills.check import CheckedSkill
    from custody.skills.find import Skill


def execute(options: Namespace) -> Result:
    """List the findings of the skill that was named, or of all of them."""
    from custody.errors import ContractInvalid
    from custody.skills.check import check_skill

    checked = [check_skill(skill) for skill in _wanted(options.subject)]
    errors, warnings = _count(checked, "error"), _count(checked, "warning")
    return Result(
        data={
            "error_type": ContractInvalid.error_type if errors else "OK",
            "skills": [
                {"name": one.skill.name, "path": one.skill.path, "findings": one.findings}
                for one in checked
            ],
            "errors": errors,
            "warnings": warnings,
        },
        text=_lines(checked, errors, warnings),
        status="FAIL" if errors else "PASS",
    )


def _wanted(word: str) -> list[Skill]:
    from custody.skills.find import all_skills, find_skill

    return [find_skill(word)] if word else all_skills()


def _count(checked: list[CheckedSkill], severity: str) -> int:
    return sum(found.severity == severity for one in checked for found in one.findings)


def _lines(checked: list[CheckedSkill], errors: int, warnings: int) -> Iterator[Line]:
    import os

    from custody.cli.render.table import count
    from custody.model.skill.contract import CONTRACT_FILE

    for one in checked:
        for found in one.findings:
            file = os.path.join(_short(one.skill.path), found.file or CONTRACT_FILE)
            place = f"{file}:{found.line}:{found.column}" if found.line else file
            mark = "" if found.severity == "error" else "warning: "
            tone: Tone = "bad" if found.severity == "error" else "warn"
            yield Line(f"{place} {found.code} {mark}{found.message}", tone, hang=4)
            if found.hint:
                yield Line(f"  hint: {found.hint}", hang=4)
    told = f"{count(len(checked), 'skill')}: {count(errors, 'error')}, {count(warnings, 'warning')}"
    yield Line(told, "bad" if errors else "good")


def _short(path: str) -> str:
    """Return a path from here where it lies below, else as it is."""
    import os

    inside = os.path.relpath(path)
    return path if inside.startswith(os.pardir) else inside
