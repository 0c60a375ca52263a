"""Tools that do their worst in the workspace, and in the run directory, which is none of theirs.

Nothing confines them here: what the kernel keeps them from is tried elsewhere, and what is left
when it does not must hold by itself.
"""

from __future__ import annotations

import pytest

from support.hostile import Ground
from support.privileges import IS_ROOT

BODY = (
    'act [type=tool, tool_command="sh act.sh", timeout="20s"] next [type=tool, tool_command="ls"] '
    "start -> act -> next -> done"
)
DEEP = "import os\nfor _ in range(60): os.mkdir('d' * 100); os.chdir('d' * 100)"
ODD = "import os; os.mkdir(b'd\\xfe'); open(b'd\\xfe/x', 'w')"
SOCKET = "import socket; socket.socket(socket.AF_UNIX).bind('s')"


def python(text: str) -> str:
    return f'python3 -W ignore -c "{text}"'


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (python(ODD), "surrogate"),
        (python(DEEP), "too_long"),
        (python(SOCKET), "not_regular"),
        ("mkfifo pipe", "not_regular"),
        ("ln -s /etc out", "symlink"),
        ("ln -s ../../.. up", "symlink"),
        ('ln "$CUSTODY_RUN_DIR/events.jsonl" journal', "hardlink"),
        ("truncate -s 1T sparse", "too_large"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_undone(ground: Ground, script: str, code: str) -> None:
    (ground.workdir / "act.sh").write_text(script)
    run = ground.start(ground.pipeline(BODY), confinement="L1")
    assert (run.code, run.data["summary"]["status"]) == (1, "FAIL")
    assert code in {verdict.code for verdict in ground.refusals()}
    assert [path.name for path in ground.workspace.iterdir()] == ["act.sh"]
    assert ground.ask("verify").code == ground.ask("replay").code == 0


@pytest.mark.parametrize(
    "script",
    [
        'rm -rf "$PWD"',
        "cd ..; rm -rf workspace; echo x > workspace",
        "cd ..; rm -rf workspace; ln -s / workspace",
        "ln -s loop loop; ln -s act.sh link; ln act.sh hard",
        "echo x > .tmp.1.2; mkdir .tmp.3.4",
        'rm -rf "$TMPDIR"; echo x > "$TMPDIR"',
        'cd "$CUSTODY_RUN_DIR"; rm -r cache; ln -s / cache',
        "exec >&- 2>&-",
    ],
)
def test_what_is_only_odd_is_recorded(ground: Ground, script: str) -> None:
    (ground.workdir / "act.sh").write_text(script)
    assert ground.start(ground.pipeline(BODY), confinement="L1").code == 0
    assert ground.ask("verify").code == ground.ask("replay").code == 0


@pytest.mark.req("G-30")
@pytest.mark.parametrize(
    "script",
    [
        "mkdir closed; echo x > closed/file; chmod 000 closed/file closed",
        "umask 777; echo x > file; mkdir folder",
    ],
)
def test_what_is_closed_to_its_owner_is_recorded_by_root_alone(ground: Ground, script: str) -> None:
    (ground.workdir / "act.sh").write_text(script)
    run = ground.start(ground.pipeline(BODY), confinement="L1")
    assert (run.code == 0, not ground.refusals()) == (IS_ROOT, IS_ROOT)
    assert ground.ask("verify").code == ground.ask("replay").code == 0


@pytest.mark.parametrize(
    "script",
    [
        "echo '{}' >> events.jsonl",
        ": > events.jsonl",
        "rm events.jsonl",
        "mv events.jsonl aside; cp aside events.jsonl; rm aside",
    ],
)
def test_a_journal_that_others_write_ends_the_run(ground: Ground, script: str) -> None:
    """Whoever reads the exit code learns of it; nothing more is done on the word of that file."""
    (ground.workdir / "act.sh").write_text(f'cd "$CUSTODY_RUN_DIR"; {script}')
    run = ground.start(ground.pipeline(BODY), confinement="L1")
    assert (run.code, run.data["error_type"], run.data["code"]) == (
        1,
        "JOURNAL_BROKEN",
        "chain_broken",
    )
