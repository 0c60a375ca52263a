"""Rules that a scenario script keeps. `lint` is pure.

shebang     it begins with ``#!`` and a shell
executable  it can be started as it is
strict      ``set -eu`` stands in it: no failure goes unseen
modes       it knows both values of SCENARIO_MODE
absolute    no absolute path, but for the shebang, /dev/null, /tmp, and the like
network     no program that needs the network in the branch of ``selftest``
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from custody.model.finding import Finding
from custody.scenarios import MODE_VARIABLE
from custody.store.places import is_program
from custody.store.root import read_file

NETWORK_PROGRAMS = ("curl", "wget", "nc", "ncat", "ssh", "scp", "rsync", "ping", "dig", "telnet")

_SHEBANG = re.compile(r"#!\s*(?:/usr/bin/env\s+|/bin/|/usr/bin/)(?:ba|da)?sh\b")
_STRICT = re.compile(r"^\s*set\s+(?:-\w*e\w*u|-\w*u\w*e|-e\s+-u\b|-u\s+-e\b)", re.MULTILINE)
_ABSOLUTE = re.compile(
    r"(?<![\w.$}/:*\"'-])[\"']?(/(?!dev/|tmp\b|\s|$)[A-Za-z][\w.-]*)(?=[/\s\"';)]|$)"
)
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*")
_NETWORK = re.compile(rf"(?:^|[\s;&|(`])({'|'.join(NETWORK_PROGRAMS)})(?=\s)")
_SELFTEST = re.compile(r"\bselftest\b")
_BRANCH_ENDS = re.compile(r"^\s*(?:;;|fi\b|else\b|elif\b|esac\b|\})|;;\s*$")


def lint(source: str, *, executable: bool) -> tuple[Finding, ...]:
    """Return every finding about a script, in the order of its lines."""
    found = [*_whole(source, executable), *_lines(source)]
    return tuple(sorted(found, key=lambda finding: (finding.line, finding.column)))


def lint_file(script: str) -> tuple[Finding, ...]:
    """Return every finding about the script in a file; raises `StorageFailed`."""
    source = read_file(script).decode(errors="replace")
    return lint(source, executable=is_program(script))


def _whole(source: str, executable: bool) -> Iterator[Finding]:
    if not _SHEBANG.match(source):
        yield _finding("shebang", "it does not begin with #! and a shell", 1, 1, "#!/bin/sh")
    if not executable:
        yield _finding("executable", "it cannot be started", 0, 0, "chmod +x")
    if not _STRICT.search(source):
        yield _finding("strict", "a failing command goes unseen", 0, 0, "set -eu")
    code = "\n".join(_COMMENT.sub("", line) for line in source.splitlines())
    for mode in ("selftest", "live"):
        if MODE_VARIABLE not in code or not re.search(rf"\b{mode}\b", code):
            what = f"it does not know {MODE_VARIABLE}={mode}"
            yield _finding("modes", what, 0, 0, f'case "${MODE_VARIABLE}" in selftest) … live) …')


def _lines(source: str) -> Iterator[Finding]:
    in_selftest = False
    for number, text in enumerate(source.splitlines(), 1):
        line = "" if number == 1 and text.startswith("#!") else _COMMENT.sub("", text)
        for path in _ABSOLUTE.finditer(line):
            what = f"{path[1]} is a path of one machine"
            yield _finding("absolute", what, number, path.start(1) + 1, "say it relative, or $0")
        in_selftest = in_selftest or _SELFTEST.search(line) is not None
        for program in _NETWORK.finditer(line) if in_selftest else ():
            what = f"{program[1]} needs the network, in selftest"
            yield _finding("network", what, number, program.start(1) + 1, "only in live")
        if _BRANCH_ENDS.search(line):
            in_selftest = False


def _finding(code: str, message: str, line: int, column: int, hint: str) -> Finding:
    return Finding(code=code, message=message, line=line, column=column, hint=hint)
