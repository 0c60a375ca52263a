"""Packing 500 files of a big repository: custody's librarian beside repomix, as commands.

repomix is told the same files, by their paths. It also counts tokens and looks for secrets, which
custody does not: it is measured as it comes, and once more with what of that can be switched off.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial

from benchmarks.contestants import HERE
from benchmarks.fresh import Ground, NotMeasured
from benchmarks.rounds import Result, interleave
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row

BAR = 1 / 20
FILES_A_FOLDER = 50
LINES = (20, 200)
DOCUMENTS = ("AGENTS.md", "ai_context/00_AI_CONTRACT.md", "ai_context/CTCP_FAST_RULES.md")
WORDS = [
    "return",
    "value",
    "index",
    "name",
    "path",
    "count",
    "=",
    "+",
    "(",
    ")",
    "[",
    "]",
    ":",
    "if",
    "not",
    "for",
    "in",
    "self",
    "read",
    "write",
    "open",
    "close",
    "request",
    "answer",
    "file",
    "line",
    "first",
    "last",
    "number",
    "text",
    "error",
    "raise",
    "import",
    "from",
    "class",
    "def",
    "None",
    "True",
]
PEER = os.path.join(os.path.dirname(HERE), ".peers", "node_modules")
NODE = os.path.join(PEER, "node", "bin", "node")
REPOMIX = os.path.join(PEER, "repomix")
PLAIN = ("--no-security-check", "--no-git-sort-by-changes")
TIME_LIMIT = 120


def pack(ground: Ground, scale: Scale) -> list[Row]:
    """Measure the time from the command to the finished pack."""
    repository, folder = ground.fresh(), ground.fresh()
    paths = plant(repository, scale.pack_files, scale.packed)
    turns = {
        "custody": partial(_custody, repository, _request(folder, paths), folder),
        "repomix": partial(_repomix, repository, paths, folder, ()),
        "plain": partial(_repomix, repository, paths, folder, PLAIN),
    }
    return rows(interleave(turns, scale.pack_rounds), scale)


def rows(results: Mapping[str, Result], scale: Scale) -> list[Row]:
    """Return the table's rows."""
    own, peer, plain = (_seconds(results[name]) for name in ("custody", "repomix", "plain"))
    same = len({turn["digest"] for turn in results["custody"].turns}) == 1
    turns = len(results["custody"].turns)
    note = f"the same bytes {turns} times" if same else "NOT THE SAME BYTES"
    what = f"packing {scale.packed:,} of {scale.pack_files:,} files"
    title = f"repomix {_version()}"
    figure = Figure(own, "ms", "", note, results["custody"].failure)
    return [
        Row(what, figure, Figure(peer, "ms", title, "", results["repomix"].failure), BAR),
        Row(
            f"{what}, nothing else",
            figure,
            Figure(plain, "ms", f"{title} {' '.join(PLAIN)}", "", results["plain"].failure),
        ),
    ]


def plant(path: str, files: int, packed: int) -> list[str]:
    """Make a repository of text files, the same every time; return those that are packed."""
    chance = random.Random(0)  # noqa: S311 - texts
    names = [*DOCUMENTS, *map(_name, range(files - len(DOCUMENTS)))]
    for name in names:
        os.makedirs(os.path.join(path, os.path.dirname(name)), exist_ok=True)
        count = chance.randint(*LINES)
        words = chance.choices(WORDS, k=count * 8)
        lines = (" ".join(words[at : at + 8]) for at in range(0, len(words), 8))
        with open(os.path.join(path, name), "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
    subprocess.run(["git", "init", "--quiet", path], check=True)  # of no repository around it
    first = len(DOCUMENTS)
    return names[first :: (files - first) // packed][:packed]


def _name(number: int) -> str:
    folder = number // FILES_A_FOLDER
    return f"package_{folder // 20}/module_{folder}/file_{number}.py"


def _request(folder: str, paths: list[str]) -> str:
    request = os.path.join(folder, "request.json")
    with open(request, "w", encoding="ascii") as file:
        json.dump(
            {
                "schema_version": "ctcp-file-request-v1",
                "goal": "Measure",
                "needs": [{"path": path, "mode": "full"} for path in paths],
                "budget": {"max_files": 10_000, "max_total_bytes": 1 << 30},
                "reason": "benchmark",
            },
            file,
        )
    return request


def _custody(repository: str, request: str, folder: str) -> Mapping[str, float]:
    made = os.path.join(folder, "pack.json")
    program = os.path.join(os.path.dirname(sys.executable), "custody")
    seconds = _timed([program, "pack", request, "--repo", repository, "--output", made], folder, "")
    with open(made, "rb") as file:
        digest = hashlib.sha256(file.read()).digest()
    return {"seconds": seconds, "digest": float(int.from_bytes(digest[:6]))}


def _repomix(
    repository: str, paths: list[str], folder: str, options: tuple[str, ...]
) -> Mapping[str, float]:
    script = os.path.join(REPOMIX, "bin", "repomix.cjs")
    if not os.path.exists(script) or not os.path.exists(NODE):
        raise NotMeasured("repomix is not installed: make peers")
    made = os.path.join(folder, "repomix.json")
    words = ["--stdin", "--style", "json", "--quiet", "--output", made, *options]
    seconds = _timed([NODE, script, *words], repository, "".join(f"{path}\n" for path in paths))
    with open(made, encoding="utf-8") as file:
        count = len(json.load(file)["files"])
    if count != len(paths):
        raise NotMeasured(f"repomix packed {count} files")
    return {"seconds": seconds}


def _timed(argv: list[str], folder: str, given: str) -> float:
    home = os.path.join(folder, ".home")
    environment = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"}
    begin = time.perf_counter()
    done = subprocess.run(
        argv,
        cwd=folder,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    seconds = time.perf_counter() - begin
    if done.returncode:
        raise NotMeasured(f"{os.path.basename(argv[0])}: {(done.stderr or done.stdout)[-200:]}")
    return seconds


def _seconds(result: Result) -> float | None:
    found = result.median("seconds")
    return None if found is None else found * 1e3


def _version() -> str:
    try:
        with open(os.path.join(REPOMIX, "package.json"), encoding="utf-8") as file:
            return str(json.load(file)["version"])
    except OSError:
        return "(not installed)"
