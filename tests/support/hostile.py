"""Hostile input and the verdict it must get: the cases, and a ground to run them on.

A case is data: a surface, an input, what is expected, and why. Cases come from every JSON file
of ``tests/hostile`` and from the file that the environment variable ``CUSTODY_HOSTILE`` names.
Nothing here knows a case by its id. What cannot be read as a case is kept as one of the surface
`UNREADABLE`, so that the others are run all the same and a test tells of it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from custody.cli import main
from custody.model.event import AnyFact, GuardrailViolation
from custody.model.verdict import Verdict
from custody.store.journal import read_lines
from custody.store.root import Root
from support.bench import Bench
from support.shell import Done

FOLDER = Path(__file__).parent.parent / "hostile"
EXTRA = "CUSTODY_HOSTILE"

COVERED = (
    "pipeline", "path", "fs", "allowlist", "command", "tool_command", "log", "crash", "redaction",
    "fence", "file_request", "patch", "plan", "review", "bundle", "uri", "contract",
    "request", "tcl",
)  # fmt: skip
"""Surfaces that have a test module each."""
NOT_YET_COVERED = (
    "html",
)  # fmt: skip
"""Surfaces of parts that are still to be built, or that only their own tests cover."""


SUPERSEDED = {
    "pipeline-030": "reject:unknown_attribute",  # U-01: a typo cannot switch a guard off
    "pipeline-036": "accept:commas",  # U-18: attributes without commas are read
}
"""What is expected of cases that a later requirement decides otherwise than the corpus."""


UNREADABLE = "unreadable"
"""The surface of what is no case."""


class Case(NamedTuple):
    """One input, and what must come of it."""

    id: str
    surface: str
    input: Any
    expect: str
    why: str

    def __str__(self) -> str:
        return self.id

    @property
    def kind(self) -> str:
        """What is expected, without the code: ``accept``, ``reject``, ``detect`` …"""
        return self.expect.partition(":")[0]

    @property
    def code(self) -> str:
        """The stable code of a refusal, or how an accepted input is to be taken."""
        return self.expect.partition(":")[2]


def files() -> list[Path]:
    """Return the files that hold cases."""
    extra = os.environ.get(EXTRA)
    return [*sorted(FOLDER.glob("*.json")), *([Path(extra)] if extra else [])]


def every_case() -> list[Case]:
    """Return every case once; one that has another's id is told apart by its file's name."""
    found: dict[str, Case] = {}
    for file in files():
        for read in _read(file):
            case = read._replace(expect=SUPERSEDED.get(read.id, read.expect))
            another = found.get(case.id, case) != case
            name = f"{case.id}@{file.stem}" if another else case.id
            found[name] = case._replace(id=name)
    return list(found.values())


def _read(file: Path) -> Iterator[Case]:
    """Yield the cases of a file."""
    try:
        items = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        items = [f"{type(error).__name__}: {error}"]
    for number, item in enumerate(items if isinstance(items, list) else [items]):
        yield _case(item) or Case(f"{file.stem}#{number}", UNREADABLE, item, "", "it is no case")


def _case(item: Any) -> Case | None:
    """Return an item as a case, whatever else it says; None when it is none."""
    match item:
        case {"id": str(name), "surface": str(surface), "input": given, "expect": str(expect)}:
            return Case(name, surface, given, expect, str(item.get("why", "")))
    return None


def cases(surface: str) -> list[Case]:
    """Return the cases of one surface."""
    return [case for case in every_case() if case.surface == surface]


_T = TypeVar("_T")


def known(table: Mapping[str, _T], word: str, case: Case) -> _T:
    """Return what a table says of a word of a case; a case that nobody understands fails so."""
    assert word in table, f"{case.id}: nothing here knows {word!r}, only {', '.join(table)}"
    return table[word]


def custody(*words: str) -> Done:
    """Run the command line in this process; an internal error is a failure of the test."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    done = Done(code, _printed(out), _printed(err))
    assert "Traceback" not in done.err, done.err
    assert done.code in {0, 1, 3, 130}, f"exit code {done.code}: {done.out}{done.err}"
    return done


def _printed(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


class Ground(Bench):
    """A place to run pipelines in, by the command line, with somebody else's files beside it."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.outside = home / "outside"
        self.outside.mkdir()
        (self.outside / "secret").write_text("secret")

    @property
    def workspace(self) -> Path:
        """Where the run works."""
        return self.path("workspace")

    def source(self, text: str, name: str = "pipeline.dot") -> str:
        """Write a pipeline as it stands; a text that is no Unicode is written all the same."""
        path = self.home / name
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return str(path)

    def answers(self, *answers: dict[str, Any], name: str = "answers.json") -> str:
        """Write what the fake agent will do; return how the agent is named then."""
        path = self.home / name
        path.write_text(json.dumps({"answers": [{"text": "Done.\n", **one} for one in answers]}))
        return f"fake:{path}"

    def start(
        self,
        pipeline: str,
        agent: str = "stub",
        run_id: str = "r1",
        confinement: str = "",
        *,
        ingest: bool = False,
    ) -> Done:
        """Run a pipeline."""
        level = ("--confinement", confinement) if confinement else ()
        switch = ("--ingest",) if ingest else ()
        return custody(
            "run", pipeline, "--workdir", str(self.workdir), "--runsdir", str(self.runsdir),
            "--run-id", run_id, "--agent", agent, "--json", *level, *switch,
        )  # fmt: skip

    def ask(self, command: str, run_id: str = "r1", *words: str) -> Done:
        """Ask for something about a run."""
        return custody(command, run_id, "--runsdir", str(self.runsdir), "--json", *words)

    def refusals(self, run_id: str = "r1") -> list[Verdict]:
        """Return every verdict of the run's guards and gates."""
        violations = (f for f in self.facts(run_id) if isinstance(f, GuardrailViolation))
        return [verdict for violation in violations for verdict in violation.verdicts]

    def surroundings(self) -> dict[str, str]:
        """Return everything but the runs, to see that a run left it alone."""
        return picture(self.home, leave_out=("runs",))


def facts_of(run: Path) -> list[AnyFact]:
    """Return every fact of the run in a folder."""
    with Root.open(str(run)) as root:
        return [line.fact() for line in read_lines(root, run_id=run.name)]


def picture(folder: Path, *, leave_out: tuple[str, ...] = ()) -> dict[str, str]:
    """Return what stands below a folder, each name with its mode and content."""
    return {path: _state(f"{folder}/{path}") for path in _below(str(folder), leave_out)}


def _below(folder: str, leave_out: tuple[str, ...]) -> Iterator[str]:
    for top, folders, names in os.walk(folder):
        if top == folder:
            folders[:] = [name for name in folders if name not in leave_out]
        yield from (os.path.relpath(f"{top}/{name}", folder) for name in (*folders, *names))


def _state(path: str) -> str:
    state = os.lstat(path)
    if stat.S_ISLNK(state.st_mode):
        return f"-> {os.readlink(path)}"
    if not stat.S_ISREG(state.st_mode) or state.st_size > 1 << 26:
        return f"{state.st_mode:o}"
    content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return f"{state.st_mode:o} {content}"


def quoted(text: str) -> str:
    """Return a text as a string of the pipeline language."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t") + '"'
