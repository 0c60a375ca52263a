"""No text of anybody else's commands a terminal, whichever command prints it in whichever form."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from support.shell import Done, Shell

pytestmark = pytest.mark.req("G-15")

EVIL = "a\x1b]0;owned\x07b\x9b2Jc\x7fd\u202ee\u2066f\x85g\u200eh"
COMMANDS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]"
)
PIPELINE = """digraph p {
    graph [goal="say it", "var.said"=""]
    start [shape=Mdiamond]
    ask   [prompt="${said}", agent="fake:book.json"]
    tell  [type=tool, tool_command="sh tell.sh"]
    wait  [prompt="${said}", agent=outbox]
    done  [shape=Msquare]
    start -> ask -> tell -> wait -> done
}
"""
TELL = """printf '%s' "$(cat said)" ; printf '%s' "$(cat said)" >&2; touch "$(cat named)"; exit 0
"""


@pytest.fixture(scope="module")
def spoilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run in which everybody says what commands a terminal."""
    folder = tmp_path_factory.mktemp("spoilt")
    custody = Shell(folder)
    (folder / "source").mkdir()
    (folder / "source/tell.sh").write_text(TELL)
    (folder / "source/said").write_text(EVIL)
    (folder / "source/named").write_text(EVIL.replace("/", ""))
    custody.write("p.dot", PIPELINE)
    custody.write("odd.dot", PIPELINE.replace("say it", EVIL))
    text = "".join(f"\\u{ord(character):04x}" for character in EVIL)
    answer = f'{{"text": "{text}", "notes": "{text}", "context_updates": {{"k": "{text}"}}}}'
    custody.write("book.json", f'{{"schema_version": "1.0", "answers": [{answer}]}}')
    told = ("--set", f"said={EVIL}")
    done = custody("run", "p.dot", "--workdir", "source", "--run-id", "r1", *told)
    assert done.code == 3, done
    return folder


@pytest.fixture
def terminal(spoilt: Path, tmp_path: Path) -> Shell:
    shutil.copytree(spoilt, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Shell(tmp_path)


WORDS = [
    ("show", "r1"), ("show", "r1", "ask"), ("show", "r1", "tell"), ("log", "r1"), ("diff", "r1"),
    ("diff", "r1", "tell"), ("inbox",), ("runs",), ("verify", "r1"), ("replay", "r1"),
    ("check", "p.dot"), ("check", "odd.dot"), ("run", "odd.dot"), ("check", EVIL),
    ("plan", "p.dot"), ("graph", "p.dot"), ("doctor",),
    ("doctor", "--agent", EVIL), ("resume", "r1"), ("resume", EVIL), ("show", "r1", EVIL),
    ("run", "p.dot", "--workdir", "source"), ("run", EVIL), ("run", "p.dot", "--agent", EVIL),
    ("run", "p.dot", "--run-id", EVIL), ("run", "p.dot", "--set", f"{EVIL}=1"), (EVIL,),
    ("fork", "r1", "tell"), ("answer", EVIL, "--file", EVIL), ("verify", "r1", "--head", EVIL),
    ("runs", "--runsdir", EVIL), ("run", "p.dot", "--workdir", "source", "-v"),
]  # fmt: skip


def commands(done: Done) -> list[str]:
    """Return what of a command's output a terminal would obey, line ends and tabs aside."""
    return [f"{found[0]!a} in {done.out[max(0, found.start() - 40):][:80]!a}"
            for found in COMMANDS.finditer(done.out)]  # fmt: skip


@pytest.mark.parametrize(
    "words", WORDS, ids=lambda words: "-".join(words).encode("ascii", "ignore").decode()[:24]
)
def test_a_terminal_is_not_commanded(terminal: Shell, words: tuple[str, ...]) -> None:
    for form in ((), ("--json",)):
        shown = terminal.on_terminal(*words, *form, TERM="dumb", NO_COLOR="1")
        assert shown.code in {0, 1, 3}, shown.out
        assert commands(shown) == []


def test_what_json_says_is_the_same(terminal: Shell) -> None:
    shown = terminal.on_terminal("show", "r1", "ask", "--json", TERM="dumb")
    piped = terminal("show", "r1", "ask", "--json")
    assert shown.data == piped.data
    assert shown.data["texts"]["prompt.md"].rstrip("\n") == EVIL


def test_a_spoilt_manifest_commands_nothing(terminal: Shell) -> None:
    manifest = terminal.folder / ".custody/runs/r1/manifest.json"
    manifest.write_text(
        manifest.read_text().replace("RUNNING", EVIL.replace("\x1b", "").replace("\x07", ""))
    )
    for form in ((), ("--json",)):
        assert commands(terminal.on_terminal("runs", *form, TERM="dumb", NO_COLOR="1")) == []
