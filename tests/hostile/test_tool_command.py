"""Commands of tool stages: refused by their text, or run where they cannot leave.

A command that only the kernel can stop is run at one level of confinement, drawn. Beside the
workspace lies a file with a secret, and in the workspace stand its path (``where``) and programs
that go there (``x``, ``x.sh``, ``where.py``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from custody.model.event import RequestAnswered
from support.hostile import Case, Ground, cases, custody, picture, quoted
from support.sandboxes import CONFINED
from support.sweep import turn

SECRET = "kept outside 7f3a"
REPOSITORY = """
set -e
git init -q $TMPDIR/repository
for name in one two; do
  echo $name >> $TMPDIR/repository/one.txt
  git -C $TMPDIR/repository add one.txt
  git -C $TMPDIR/repository -c user.name=a -c user.email=a@b commit -q -m $name
done
cp -r $TMPDIR/repository/.git/. .
git config core.bare true
rm -rf $TMPDIR/repository
"""
"""Makes the workspace itself a bare repository: nobody may leave one called ``.git`` in it."""
REACH = 'cat "$(cat where)"; echo x > "$(cat where)"; cat "$(cat where)" && exit 0; exit 1\n'
REACH_PYTHON = "print(open(open('where').read().strip()).read())\n"
ACT = 'act [type=tool, tool_command={command}, timeout="60s"] '
BODY = f"{ACT} start -> act -> done"
GIT_BODY = (
    f'prepare [type=tool, tool_command="sh repository.sh"] {ACT} start -> prepare -> act -> done'
)
HOST = Path("/etc/passwd").read_text().splitlines()[0]
OWN = "custody:x:"
"""What the file of accounts says on this machine, and what it says in a view of its own."""
ONLY_GOES = 'os.chdir(chr(47))"'
"""A process may go wherever it likes; what counts is what it finds there."""


@pytest.mark.req("P-09")
@pytest.mark.parametrize("case", cases("tool_command"), ids=str)
def test_tool_command(case: Case, ground: Ground) -> None:
    text = text_of(case.input)
    lay_out(ground.workdir, ground.outside)
    body = GIT_BODY if "git" in text else BODY
    pipeline = ground.pipeline(body.format(command=quoted(text)))
    before = ground.surroundings()
    checked = custody("check", pipeline, "--json")
    if checked.code:
        assert case.kind == "deny"
        assert ("tool_command" if case.code == "kernel" else case.code) in codes(checked.data)
        assert_not_run(ground, pipeline)
    elif case.kind == "accept":
        assert_ran(ground, pipeline)
    else:
        assert case.expect == "deny:kernel"
        assert ground.surroundings() == before
        for level in turn(case.id, CONFINED):
            came = attempt(text, ground.home / level, level)
            if came == "public":  # every user of the machine may read it, and this level lets them
                assert level != "L3"
                came = attempt(text, ground.home / "L3", "L3")
            assert came == "stopped"
        return
    assert ground.surroundings() == before


def text_of(given: Any) -> str:
    """Return the command of a case; a long one is told by what is repeated."""
    if isinstance(given, str):
        return given
    return str(given["text"] + given["repeat"] * given["times"])


def lay_out(folder: Path, outside: Path) -> None:
    """Write what the commands work on, and what leads outside."""
    (folder / "src" / "a").mkdir(parents=True)
    for name, text in {
        "one.txt": "alpha\nbeta\n",
        "numbers.txt": "1 2\n3 4\n",
        "src/b.txt": "b\n",
        "src/a/x": "x\n",
        "src/a/deep name.txt": "deep\n",
        "run.sh": 'echo "$@"\n',
        "repository.sh": REPOSITORY,
        "where": f"{outside}/secret\n",
        "where.py": REACH_PYTHON,
        "x": REACH,
        "x.sh": REACH,
    }.items():
        (folder / name).write_text(text)


def codes(data: Any) -> set[str]:
    """Return the codes of everything that forbids running a pipeline."""
    (file,) = data["files"]
    return {finding["code"] for finding in file["findings"] if finding["severity"] == "error"}


def assert_not_run(ground: Ground, pipeline: str) -> None:
    """There is not even a run."""
    assert ground.start(pipeline).code == 1
    assert not (ground.runsdir / "r1").exists()


def assert_ran(ground: Ground, pipeline: str) -> None:
    """The command was started, said something, and ended well."""
    run = ground.start(pipeline)
    assert run.code == 0, run.out
    answered = [fact.ack for fact in ground.facts() if isinstance(fact, RequestAnswered)]
    assert {ack.exit_code for ack in answered} == {0}
    said = ground.path("nodes/act/1.1/tool.stdout.log").stat().st_size
    assert said or "> $TMPDIR/" in Path(pipeline).read_text()
    assert ground.ask("verify").code == 0


def attempt(text: str, home: Path, level: str) -> str:
    """Run a command with something outside to reach for; tell whether it was stopped."""
    home.mkdir(parents=True)
    ground = Ground(home)
    (ground.outside / "secret").write_text(SECRET)
    lay_out(ground.workdir, ground.outside)
    before = picture(ground.outside)
    run = ground.start(ground.pipeline(BODY.format(command=quoted(text))), confinement=level)
    if picture(ground.outside) != before or stolen(ground.runsdir):
        return "reached"
    if run.code or text.endswith(ONLY_GOES):
        return "stopped"
    said = ground.path("nodes/act/1.1/tool.stdout.log").read_text(errors="replace")
    if HOST in said:
        return "public"
    return "stopped" if OWN in said else "ended well"


def stolen(folder: Path) -> bool:
    """Whether the secret has arrived where a later stage could read it."""
    return any(
        SECRET in path.read_text(errors="replace")
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


@pytest.mark.parametrize(
    "text", ["cat $(cat where)", "sh x.sh", "cp x $(cat where)", "mv $(cat where) stolen"]
)
def test_nothing_but_the_kernel_stops_them(text: str, tmp_path: Path) -> None:
    assert attempt(text, tmp_path / "free", "L1") == "reached"
    assert attempt(text, tmp_path / "confined", "L3") == "stopped"


def test_going_to_the_root_is_not_to_be_outside(tmp_path: Path) -> None:
    """At the root of its view a process does not find what it would have found outside."""
    text = (
        "import os; where = open('where').read()[:-1]; os.chdir(chr(47)); print(open(where).read())"
    )
    for level in ("L3", "L2"):
        command = f'python3 -c "{text}"'
        assert attempt(command, tmp_path / level, level) == "stopped"
