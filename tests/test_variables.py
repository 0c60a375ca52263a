"""Every variable of the environment that custody reads is told of in one place."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import custody
from custody.cli import config
from custody.executors.agents.command import TEMPLATES
from custody.executors.registry import packaged_types
from custody.variables import VARIABLES

SOURCES = Path(custody.__file__).parent
OURS = re.compile(
    r"(?:CUSTODY|FACTORY|ATTRACTOR|SDDAI)_[A-Z][A-Z_]*[A-Z]|[A-Z]+_(?:API_KEY|BASE_URL)"
)
READERS = {"environ", "environment", "_environment"}
OF_PROGRAMS = {"HOME", "PATH", "RUSTUP_HOME"}
"""What says where programs are; the tools of a stage are looked for as any shell does."""


def constants() -> set[str]:
    """Return the names in the code that are variables of custody's own or of its agents."""
    found = set()
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {node.value} if OURS.fullmatch(node.value) else set()
    return found


def read() -> set[str]:
    """Return the names that the environment of this process is asked for, word by word."""
    found = set()
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="get", value=ast.Attribute(attr=of) | ast.Name(id=of)),
                    args=[ast.Constant(value=str(name)), *_],
                ) if of in READERS:
                    found.add(name)
                case ast.Subscript(
                    value=ast.Attribute(attr=of) | ast.Name(id=of),
                    slice=ast.Constant(value=str(name)),
                ) if of in READERS:
                    found.add(name)
    return found


def given_to_programs() -> set[str]:
    """Return what custody itself sets for what it starts."""
    text = (SOURCES / "sandbox/environment.py").read_text()
    text += (SOURCES / "executors/chat/listening.py").read_text()
    text += (SOURCES / "supervise/watcher.py").read_text()
    return set(OURS.findall(text))


@pytest.mark.req("U-13")
def test_every_variable_that_is_read_is_told() -> None:
    assert constants() - given_to_programs() - set(VARIABLES) == set()
    assert {name.upper() for name in read()} - OF_PROGRAMS - given_to_programs() - set(
        VARIABLES
    ) == set()


def test_every_setting_has_its_variable() -> None:
    assert {f"CUSTODY_{name.upper()}" for name in config.DEFAULTS} <= set(VARIABLES)
    assert set(TEMPLATES.values()) <= set(VARIABLES)


def test_an_example_names_a_setting_that_there_is() -> None:
    (example,) = re.findall(r"CUSTODY_\w+ for ([\w.]+)", " ".join(VARIABLES.values()))
    assert example in {rule.name for kind in packaged_types() for rule in kind.rules()}
