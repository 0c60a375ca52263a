"""What a tool printed for one request."""

from __future__ import annotations

import time
from pathlib import Path

from custody.executors.jobs.printed import Printed, printed, printed_after
from custody.executors.sessions.generation import Generation
from custody.model import session as names
from custody.model.session import SessionKind, SessionOrder
from custody.store.root import Root

BEGIN, END = "@@custody begin j_1\n", "@@custody end j_1\n"


def streams(tmp_path: Path, stdout: str, stderr: str) -> Generation:
    kind = SessionKind(name="tool", argv=("true",))
    with Root.open(str(tmp_path)) as root:
        generation = Generation.create(root, SessionOrder(token=1, level="L1", kind=kind))
    generation = Generation(Root.open(str(tmp_path)), "tool", 1)
    folder = tmp_path / generation.path
    (folder / names.STDOUT).write_text(stdout)
    (folder / names.STDERR).write_text(stderr)
    return generation


def read(tmp_path: Path, stdout: str, stderr: str = BEGIN + END, after: str = "") -> Printed:
    tmp_path.mkdir(exist_ok=True)
    generation = streams(tmp_path, stdout, stderr)
    try:
        return printed(generation, "j_1", wait=False, after=after)
    finally:
        generation._root.close()


def test_it_begins_with_the_mark_and_goes_on_to_the_end(tmp_path: Path) -> None:
    found = read(tmp_path, f"banner\n@@custody begin j_0\n{BEGIN}work\n{END}late\n")
    assert found.stdout == f"{BEGIN}work\n{END}late\n".encode()
    assert found.stderr == f"{BEGIN}{END}".encode()


def test_a_mark_within_a_line_is_none(tmp_path: Path) -> None:
    assert read(tmp_path, f"say {BEGIN}{END}").stdout == b""


def test_the_first_mark_counts_so_that_no_script_can_hide_what_it_printed(tmp_path: Path) -> None:
    assert read(tmp_path, f"{BEGIN}Error: bad\n{BEGIN}{END}").stdout.count(b"Error") == 1


def test_what_was_printed_since_the_request_before_counts_as_well(tmp_path: Path) -> None:
    for end in ("@@custody end j_0\n", "@@custody end j_0\n\n@@custody end j_0\n"):
        found = read(tmp_path / str(len(end)), f"in\n{end}late\n\n{BEGIN}{END}", after="j_0")
        assert found.stdout.endswith(f"late\n\n{BEGIN}{END}".encode())
        assert not found.stdout.startswith(b"in")
        found = read(tmp_path / f"{len(end)}n", f"in\n{end}\n{BEGIN}{END}", after="j_0")
        assert found.stdout == f"{BEGIN}{END}".encode()


def test_no_script_can_hide_it_by_a_mark_of_its_own(tmp_path: Path) -> None:
    said = f"@@custody end j_0\nError: late\n@@custody end j_0\n@@custody begin j_2\n{BEGIN}{END}"
    assert b"Error: late" in read(tmp_path, said, after="j_0").stdout


def test_without_the_mark_of_the_one_before_it_begins_with_its_own(tmp_path: Path) -> None:
    assert read(tmp_path, f"late\n{BEGIN}{END}", after="j_0").stdout == f"{BEGIN}{END}".encode()


def test_a_tool_that_ended_before_its_request_began_has_said_why(tmp_path: Path) -> None:
    said = "@@custody end j_0\nout of memory\n"
    assert read(tmp_path, said, after="j_0").stdout == b"out of memory\n"


def test_a_request_that_has_printed_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "banner\n", "") == Printed(b"", b"")


def test_a_stream_without_marks_is_taken_as_it_is(tmp_path: Path) -> None:
    generation = streams(tmp_path, f"banner\n{BEGIN}{END}", "Error: x\n")
    found = printed(generation, "j_1", wait=True, marked=1)
    assert found == Printed((BEGIN + END).encode(), b"Error: x\n")
    generation._root.close()


def test_it_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    generation = streams(tmp_path, BEGIN, BEGIN)
    began = time.monotonic()
    assert printed(generation, "j_1", wait=True).stdout == BEGIN.encode()
    assert 1.0 < time.monotonic() - began < 20.0
    generation._root.close()


def test_what_follows_the_end_of_the_last_request() -> None:
    said = f"x\n{BEGIN}in\n\n{END}later\n\n{END}more\n".encode()
    assert printed_after((said, b"no mark"), "j_1") == (f"later\n\n{END}more\n".encode(), b"")
    assert printed_after((said,), "j_2") == (b"",)
