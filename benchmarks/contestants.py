"""Who runs a linear pipeline: custody, the bare floor and the peers."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass(frozen=True)
class Contestant:
    """One program that runs so many nodes in a folder."""

    title: str
    script: str
    package: str = ""
    """The distribution whose version the table names."""
    extra: tuple[str, ...] = ()
    most_turns: int = 99
    """Turns it gets at most: fewer where no bar hangs on it, or where one takes very long."""

    @property
    def name(self) -> str:
        """Return the title with the version in place of ``{}``."""
        return self.title.format(version(self.package)) if self.package else self.title

    def argv(self, nodes: int, folder: str) -> list[str]:
        """Return the command. ``-P`` keeps the script's folder off the import path."""
        script = os.path.join(HERE, self.script)
        return [sys.executable, "-P", script, str(nodes), folder, *self.extra]


CUSTODY = Contestant("custody", "scripts/custody_pipeline.py")
FLOOR = Contestant("append + fdatasync + renamed checkpoint", "scripts/floor.py")
FLOOR_WITH_FILES = Contestant("the same + a stage's files", "scripts/floor.py", extra=("files",))
LANGGRAPH = Contestant(
    "LangGraph {}, SQLite, durability sync", "peers/with_langgraph.py", "langgraph", ("chain",)
)
BURR = Contestant("Burr {}, SQLite persister", "peers/with_burr.py", "burr")
PEERS = (
    LANGGRAPH,
    Contestant(
        "LangGraph {}, the same, one node in a loop",
        "peers/with_langgraph.py",
        "langgraph",
        ("loop",),
        most_turns=3,
    ),
    BURR,
    Contestant("DBOS {}, SQLite", "peers/with_dbos.py", "dbos", most_turns=3),
    Contestant(
        "pydantic-graph {}, file persistence",
        "peers/with_pydantic_graph.py",
        "pydantic-graph",
        most_turns=1,
    ),
)


def version(package: str) -> str:
    """Return the version of a distribution that is installed, or that it is not."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"
