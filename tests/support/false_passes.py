"""Tool runs that print an error and return success, or leave nothing: data, and how it is laid out.

A case is a packaged skill on a spoiled copy of its design, or a skill of its own on a design that
is restored by doing nothing. It says which ``error_type`` must be reported, what tells it, and in
which words.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from custody.skills.find import find_skill

TABLE = Path(__file__).parent.parent / "skills/false_passes/cases.json"


class FalsePass(NamedTuple):
    """One of them."""

    id: str
    what: str
    error_type: str
    by: str
    """``ack``, ``log``, ``outputs`` or ``metrics``."""
    says: str
    """A pattern of the reason."""
    skill: str = ""
    """The packaged skill, whose design is spoiled."""
    edit: dict[str, list[str]] = {}
    """By file: what stands there, and what takes its place."""
    tool: str = ""
    script: str = ""
    required: tuple[str, ...] = ()
    error_patterns: tuple[str, ...] = ()
    metrics: dict[str, Any] = {}

    def __str__(self) -> str:
        return self.id


class LaidOut(NamedTuple):
    """Where a case lies."""

    skill: str
    """A name, or a folder."""
    enc: Path
    tool: str


def false_passes() -> list[FalsePass]:
    """Return every case."""
    return [FalsePass(**case) for case in json.loads(TABLE.read_text(encoding="utf-8"))]


def lay_out(case: FalsePass, home: Path) -> LaidOut:
    """Put the design of a case into a folder, and its skill below ``subskills/``."""
    if case.skill:
        return _spoiled(case, home)
    enc = home / "top.enc"
    enc.write_text("# Nothing is needed.\n")
    (home / "top.enc.dat").mkdir()
    name = case.id.replace("-", "_")
    folder = home / "subskills" / name
    (folder / "templates").mkdir(parents=True)
    (folder / "templates/run.tcl").write_text(case.script)
    (folder / "README.md").write_text(f"# {name}\n\n{case.what}\n")
    contract = {
        "schema_version": "1.1",
        "name": name,
        "version": "1.0.0",
        "tool": case.tool,
        "scripts": [{"name": "run", "entry": "templates/run.tcl"}],
        "outputs": {"required": [{"path": path} for path in case.required]},
        "debug_hints": ["this is what must not pass", case.what],
        "error_patterns": list(case.error_patterns),
        "metrics": case.metrics,
    }
    # What is JSON is YAML too.
    (folder / "contract.yaml").write_text(json.dumps(contract, indent=2))
    return LaidOut(str(folder), enc, case.tool)


def _spoiled(case: FalsePass, home: Path) -> LaidOut:
    skill = find_skill(case.skill)
    shutil.copytree(Path(skill.path) / "mock", home, dirs_exist_ok=True)
    for path, (old, new) in case.edit.items():
        text = (home / path).read_text()
        assert old in text, f"{case.id}: {path} does not hold {old!r}"
        (home / path).write_text(text.replace(old, new, 1))
    (enc,) = home.glob("*.enc")
    return LaidOut(case.skill, enc, "")
