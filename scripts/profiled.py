"""Go one of the ways that walk.py measures, under a profiler: ``profiled.py WALK``.

It is done in the folder at hand, and what was noted is written to `RESULT` there. The code is that
of the ``custody`` which is found first; nothing of it is known here but its command line and the
name of its journal.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

RESULT = "calls.json"
RUN = "walk"
JOURNAL = Path(".custody", "runs", RUN, "events.jsonl")
PATIENCE = 60.0
"""Seconds until a run must have come to its second stage."""

TOOL = """digraph walk {
    start  [shape=Mdiamond]
    first  [type=tool, tool_command="true"]
    done   [shape=Msquare]
    start -> first -> done
}
"""
TOOLS = """digraph walk {
    start  [shape=Mdiamond]
    first  [type=tool, tool_command="true"]
    second [type=tool, tool_command="sleep 0.5"]
    done   [shape=Msquare]
    start -> first -> second -> done
}
"""
THREE_TOOLS = """digraph walk {
    start  [shape=Mdiamond]
    first  [type=tool, tool_command="true"]
    second [type=tool, tool_command="true"]
    third  [type=tool, tool_command="true"]
    done   [shape=Msquare]
    start -> first -> second -> third -> done
}
"""
FENCE = """digraph walk {
    start  [shape=Mdiamond]
    first  [type=write_file, ingest=true, output_path="docs/a.md", content="```text file=a.txt
hello
```
"]
    done   [shape=Msquare]
    start -> first -> done
}
"""
PIPELINES = {
    "run": TOOL,
    "stage": TOOLS,
    "later": THREE_TOOLS,
    "resume": TOOLS,
    "fence": FENCE,
}
COMMAND = ("run", "walk.dot", "--run-id", RUN)


class Profiler:
    """Notes the calls of one package, and when the journal came to which stage."""

    def __init__(self, package: str) -> None:
        self._package = f"{package}{os.sep}"
        self._size = 0
        self.calls: list[tuple[str, int, str, str, int]] = []
        self.reached: dict[str, int] = {}
        """How many calls there were when the journal first named a stage."""
        self.looking = False
        """Whether it is the profiler that reads the journal."""

    def note(self, frame: FrameType, event: str, _argument: object) -> None:
        """Take what the interpreter says about one call."""
        code = frame.f_code
        if event != "call" or code.co_name.startswith("<") or not self._is_ours(code):
            return
        self._look_at_journal()  # it cannot be told when it is written, only that it was
        caller = frame.f_back
        while caller is not None and not self._is_ours(caller.f_code):
            caller = caller.f_back
        called_by = "" if caller is None else self._file(caller.f_code)
        name = code.co_qualname
        thread = threading.get_ident()
        self.calls.append((self._file(code), code.co_firstlineno, name, called_by, thread))

    def _is_ours(self, code: CodeType) -> bool:
        return code.co_filename.startswith(self._package)

    def _file(self, code: CodeType) -> str:
        return code.co_filename.removeprefix(self._package)

    def _look_at_journal(self) -> None:
        with suppress(FileNotFoundError):
            size = JOURNAL.stat().st_size
            if size != self._size:
                self._size, self.looking = size, True
                for node in nodes():
                    self.reached.setdefault(node, len(self.calls))
                self.looking = False


class Reads:
    """Notes when the journal was opened for reading, and how much of it was read."""

    def __init__(self, profiler: Profiler) -> None:
        self._profiler = profiler
        self.opened: list[int] = []
        """For each time, how many calls there were by then."""
        self.amounts: list[tuple[int, float]] = []
        """For each time the same, and the part of the journal."""

    def begin(self) -> None:
        """Begin to count; it cannot be ended."""
        sys.addaudithook(self._hear)
        for name in ("read", "pread", "readv", "preadv"):
            setattr(os, name, self._counting(getattr(os, name)))

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or self._profiler.looking:
            return
        if str(arguments[0]).endswith(JOURNAL.name):
            flags = arguments[2]
            if flags & os.O_ACCMODE == os.O_RDONLY and not flags & os.O_PATH:
                self.opened.append(len(self._profiler.calls))

    def _counting(self, read: Callable[..., Any]) -> Callable[..., Any]:
        def counting(descriptor: int, *arguments: Any) -> Any:
            got = read(descriptor, *arguments)
            if os.readlink(f"/proc/self/fd/{descriptor}").endswith(f"/{JOURNAL.name}"):
                amount = got if isinstance(got, int) else len(got)
                part = amount / (os.fstat(descriptor).st_size or 1)
                self.amounts.append((len(self._profiler.calls), part))
            return got

        return counting


def nodes() -> list[str]:
    """Return the stage of every line of the journal."""
    return [str(json.loads(line)["node"]) for line in JOURNAL.read_bytes().splitlines()]


def import_all() -> Any:
    """Import every module of the package that can be; return the package."""
    package = importlib.import_module("custody")
    for module in pkgutil.walk_packages(package.__path__, "custody."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # of an extra that is not installed
                importlib.import_module(module.name)
    return package


def be_killed() -> None:
    """Leave a run as it is when the runtime is killed in its second stage."""
    deadline = time.monotonic() + PATIENCE
    with subprocess.Popen([sys.executable, "-m", "custody", *COMMAND]) as process:
        while not any(JOURNAL.parent.glob("nodes/second/*/*stdout*")):
            assert process.poll() is None, "it ended before its second stage"
            assert time.monotonic() < deadline, "it never came to its second stage"
            time.sleep(0.005)
        process.kill()
    assert nodes().count("second") == 1, "it was not in its second stage"


def main() -> None:
    """Go the way, and write down what was noted."""
    way = sys.argv[1]
    Path("walk.dot").write_text(PIPELINES[way], encoding="utf-8")
    if way == "resume":
        be_killed()
    sys.argv[1:] = ["resume", RUN] if way == "resume" else COMMAND
    package = import_all()
    profiler = Profiler(os.path.dirname(package.__file__))
    reads = Reads(profiler)
    reads.begin()
    command = importlib.import_module("custody.cli").main
    threading.setprofile(profiler.note)
    sys.setprofile(profiler.note)
    status = command()
    sys.setprofile(None)
    assert status == 0, f"{way}: exit {status}"
    result = {
        "calls": profiler.calls,
        "reached": profiler.reached,
        "opened": reads.opened,
        "amounts": reads.amounts,
    }
    Path(RESULT).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
