"""`custody skill new`: a skill to begin with."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from custody.cli.result import Line, Result

DEFAULT_TOOL = "tclsh"


def execute(options: Namespace) -> Result:
    """Write a skill below ``subskills/``; where one of its files exists, none is written."""
    import os

    from custody import api
    from custody.skills.find import OWN
    from custody.skills.new import new_skill

    name = options.subject
    files = new_skill(name, options.tool or DEFAULT_TOOL)
    written = api.scaffold(os.path.join(OWN, name), files)
    return Result(data={"name": name, "written": written}, text=_lines(name, written))


def _lines(name: str, written: tuple[str, ...]) -> Iterator[Line]:
    for path in written:
        yield Line(f"wrote {path}", "good")
    yield Line(f"next: custody skill check {name}")
