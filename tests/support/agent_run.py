"""A run whose agents do much at once, hit by a kill, and what must hold afterwards.

The first agent leaves processes behind and changes, makes, links and removes files. The second
writes where it may not and is refused. Both have the scenarios hidden from them, which the
verification at the end reads.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Self

from custody import api
from support.crash import Place, fingerprint, leftovers, remove
from support.remains import Remains

HOLDOUTS = {"scripts/scenarios/one.txt": "expected\n", "scripts/scenarios/deep/two.txt": "2\n"}

PIPELINE = """
digraph agents {
    graph [goal="Repair the file"]
    start [shape=Mdiamond]
    work [prompt="$goal", local_exec.argv="sh -e work.sh", response_context="verification.plan",
          local_exec.env=PAUSE, max_retries=1, retry_delay="0s"]
    stray [prompt="$goal", local_exec.argv="sh -e stray.sh", allowed_write_paths="notes/"]
    verify [type=verification, verification.allowed_commands="grep,cat", max_retries=1,
            retry_delay="0s"]
    done [shape=Msquare]
    start -> work
    work -> stray [condition="outcome=success"]
    stray -> done [condition="outcome=success"]
    stray -> verify [condition="outcome=fail"]
    verify -> done [condition="outcome=success"]
}
"""

WORK = """
[ ! -e scripts/scenarios ]
(sleep 600 &)
setsid sh -c 'trap "" TERM; sleep 600 & sleep 600' &
echo fixed > app.txt
mkdir -p notes/deep
echo because > notes/deep/why.md
ln -sf ../app.txt notes/link
rm -f gone.txt
rm -rf old
mkdir old
echo new > old/b
chmod 755 src/x.txt
sleep "${PAUSE:-0.1}"
cat <<'END'
```json
{
  "required_files": ["app.txt"],
  "commands": ["grep expected scripts/scenarios/one.txt", "cat notes/deep/why.md"]
}
```
END
"""

STRAY = """
setsid sleep 600 &
echo stray > src/y.txt
echo more > notes/more.md
rm -r notes/deep
echo stray
"""


class AgentPlace(Place):
    """Such a run, in a folder of its own."""

    @classmethod
    def make(cls, home: Path) -> Self:
        """Lay out the pipeline and the project."""
        texts = {
            "work.sh": WORK, "stray.sh": STRAY, "app.txt": "broken\n", "gone.txt": "gone\n",
            "old/deep/a": "a\n", "src/x.txt": "x\n", **HOLDOUTS,
        }  # fmt: skip
        for name, text in texts.items():
            path = home / "project" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (home / "pipeline.dot").write_text(PIPELINE)
        return cls(home)

    def command(self) -> list[str]:
        """Return the command that starts the run, or goes on with it."""
        return [
            sys.executable, "-m", "custody", "run", "pipeline.dot", "--workdir", "project",
            "--runsdir", "runs", "--run-id", "r1", "--resume", "--agent", "local_exec",
        ]  # fmt: skip

    @contextmanager
    def started(self, **environment: str) -> Iterator[subprocess.Popen[str]]:
        """Start the command; whatever happens, it has ended afterwards."""
        process = subprocess.Popen(
            self.command(),
            cwd=self.home,
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            try:
                yield process
            finally:
                process.kill()

    def state(self) -> list[str]:
        """Return everything that a crash may not change."""
        return fingerprint(self.run_directory)

    def outcome(self) -> list[str]:
        """Return how the run ended, and what its workspace is then."""
        found = fingerprint(self.run_directory)
        return [line for line in found if line.startswith(("status ", "workspace/"))]

    def seconds(self) -> float:
        """Run it; return how long it took from its first stage to its end."""
        with self.started() as process:
            self.begun(process)
            begun = time.monotonic()
            assert process.wait(120) == 0
        return time.monotonic() - begun

    def wait(self, process: subprocess.Popen[str], seconds: float) -> None:
        """Wait so long after the run has begun, or until it is over."""
        self.begun(process)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)

    def begun(self, process: subprocess.Popen[str]) -> None:
        """Wait until the run has a name, or is over."""
        wait_for(lambda: self.run_directory.exists() or process.poll() is not None)

    def at_work(self) -> None:
        """Wait until the first agent has done everything but its last step."""
        upper = self.run_directory / "layers" / "work" / "1.1" / "upper"
        wait_for((upper / "old" / "b").exists)


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something has come about."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it has not come about"
        time.sleep(0.005)


def killed_at(seconds: float, place: AgentPlace, remains: Remains, expected: list[str]) -> str:
    """Kill a run so long after it has begun, resume it, and return what is wrong, if anything."""
    source = tree(place.home / "project")
    with place.started() as process:
        place.wait(process, seconds)
        process.kill()
    return first(
        place,
        after_a_kill(place, remains, source),
        after_resume(place, remains, source, expected),
    )


def first(place: AgentPlace, *troubles: Iterator[str]) -> str:
    """Return the first trouble; without any the folder is not needed any more."""
    trouble = next(filter(None, chain(*troubles)), "")
    if not trouble:
        remove(place.home)
    return trouble


def after_a_kill(place: AgentPlace, remains: Remains, source: list[str]) -> Iterator[str]:
    """Yield what is wrong as soon as a run was killed, before anybody goes on with it."""
    yield remains.trouble(place.home)
    if other := set(tree(place.home / "project")) ^ set(source):
        yield f"the project was touched: {sorted(other)}"
    if place.run_directory.exists() and (lost := missing_holdouts(place.run_directory)):
        yield f"holdouts are gone: {lost}"


def after_resume(
    place: AgentPlace, remains: Remains, source: list[str], expected: Sequence[str]
) -> Iterator[str]:
    """Go on with a run that was killed; yield what is wrong then."""
    resumed = place.run()
    if resumed.returncode != 0:
        yield f"resume ended with {resumed.returncode}: {resumed.stderr}"
    yield from after_a_kill(place, remains, source)
    if other := set(place.state()) ^ set(expected):
        yield f"another state: {sorted(other)[:4]}"
    yield from at_the_end(place)


def at_the_end(place: AgentPlace) -> Iterator[str]:
    """Yield what is wrong with the directory of a run that has ended."""
    if left := [*leftovers(place.home / "runs"), *strangers(place.run_directory)]:
        yield f"left behind: {left}"
    if mismatches := api.verify(str(place.run_directory)).mismatches:
        yield f"does not verify: {mismatches}"


def strangers(run: Path) -> list[str]:
    """Return what has no place in the directory of a run that has ended."""
    parts = [path for path in (run / "layers").glob("*/*/*") if ".lost." not in str(path)]
    homes = list((run / "homes").glob("*/*"))
    odd = [path for path in parts if path.name != "upper"]
    odd += [path for path in run.iterdir() if path.name.startswith("custody-")]
    return [str(path) for path in (*odd, *homes)]


def missing_holdouts(run: Path) -> list[str]:
    """Return the holdouts that are not in the workspace as they were."""
    return [
        name
        for name, text in HOLDOUTS.items()
        if not (path := run / "workspace" / name).is_file() or path.read_text() != text
    ]


def tree(folder: Path) -> list[str]:
    """Return every file and folder as it is, with the time of its last change."""
    paths = sorted(folder.rglob("*"))
    return [
        f"{path} {state.st_mode:o} {state.st_size} {state.st_mtime_ns} {state.st_ctime_ns}"
        for path, state in zip(paths, map(os.lstat, paths), strict=True)
    ]


def contents(folder: Path) -> dict[str, str]:
    """Return what every file and folder is, whenever it came to be; temporaries do not count."""
    return {
        str(path.relative_to(folder)): f"{os.lstat(path).st_mode:o} {_content(path)}"
        for path in sorted(folder.rglob("*"))
        if not path.name.startswith(".tmp.")
    }


def _content(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
