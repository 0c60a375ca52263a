"""Requests that are forged, broken or too large, put before the executor or the runtime."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from custody.errors import PathRefused
from custody.model.session_event import SessionAckIgnored
from custody.store.mailbox import Box
from custody.store.root import Root
from support.hostile import Case, cases
from support.jobs import CONTRACT, SCRIPT, Job, JobSite
from support.resident import Resident, request

JOB = "j"
NAME = "j_0001_run"
FORGES = """
set forged [open [file join $env(CUSTODY_SESSION_DIR) ack {name}.json] w]
puts $forged {{{text}}}
close $forged
"""
REWRITES = """
set path [glob [file join $env(CUSTODY_SESSION_DIR) ack *_run.json]]
set file [open $path]
set text [read $file]
close $file
file delete $path
set file [open $path w]
puts $file [string map {PASS FAIL OK CMD_FAIL} $text]
close $file
"""
YEARS = """
set beat [file join $env(CUSTODY_SESSION_DIR) state heartbeat]
file mtime $beat [expr {{[clock seconds] {seconds}}}]
after 60000
"""


@pytest.fixture(scope="module")
def resident(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resident]:
    """Return a tool with the executor in it."""
    one = Resident(tmp_path_factory.mktemp("tool"), "tclsh", SP_JOB_ID=JOB)
    one.script("run.tcl", "error {it must not run}")
    try:
        yield one
    finally:
        one.kill()


@pytest.mark.req("S-06", "S-07", "S-08", "S-09")
@pytest.mark.parametrize("case", cases("request"), ids=str)
def test_request(case: Case, resident: Resident, tmp_path: Path) -> None:
    if isinstance(case.input, dict) and "fs" in case.input:
        what_lies_there(case)(case, tmp_path)
    else:
        the_executor_says(case, resident)


def the_executor_says(case: Case, resident: Resident) -> None:
    """Hand a request in under a name that can be one, and read its ack."""
    name = resident.next_id("run")
    ack = resident.ask(name, handed_in(case, name))
    if case.kind == "accept":
        assert ack["message"].endswith("it must not run")
        return
    assert (ack["status"], ack["error_type"]) == ("FAIL", "CMD_FAIL")
    assert ack["message"].startswith(f"security violation: {case.code}: "), ack["message"]


def handed_in(case: Case, name: str) -> Any:
    """Return the file of a request: as the case has it, but for an id that is right in it."""
    if isinstance(case.input, str):
        return case.input.encode("latin-1" if case.code == "encoding" else "utf-8")
    if "gen" in case.input:
        text: str = case.input["gen"]
        if not text.startswith("valid request + "):
            count = text.partition("*")
            return (ast.literal_eval(count[0]) * int(count[2])).encode()
        megabytes = int(text.removeprefix("valid request + ").split()[0])
        return request(name, "scripts/run.tcl", job_id=JOB, extra="x" * (megabytes << 20))
    said = dict(case.input)
    return {**said, "request_id": name} if said.get("request_id") == NAME else said


def what_lies_there(case: Case) -> Callable[[Case, Path], None]:
    text = case.input["fs"]
    for pattern, happens in LYING_THERE:
        if re.search(pattern, text):
            return happens
    raise AssertionError(f"nothing here knows what lies there: {text!r}")


def a_request_that_is_there_stays(case: Case, home: Path) -> None:
    """The runtime is refused, and so is whoever writes below its box."""
    path = case.input["fs"].split()[0]
    (home / path).parent.mkdir()
    (home / path).write_text("{}")
    with Root.open(str(home)) as root:
        box = Box(root, path.partition("/")[0], ".json")
        assert not box.put(box.key(path), b"another")
        with pytest.raises(PathRefused) as refused:
            root.create(path, b"another")
    assert f"reject:{refused.value.code}" == case.expect
    assert (home / path).read_text() == "{}"


def a_request_that_is_a_link_is_not_read(case: Case, home: Path) -> None:
    """Neither the executor reads it nor the runtime."""
    path, _, target = case.input["fs"].partition(" is a symlink to ")
    folder, name = Path(path).parent.name, Path(path).stem
    one = Resident(home, "tclsh", SP_JOB_ID=JOB)
    try:
        (home / path).symlink_to(target)
        if folder == "queue":
            one.wake.tell(name)
            message = one.ack(name)["message"]
            assert message.startswith(f"security violation: {case.code}: ")
    finally:
        one.kill()
    with Root.open(str(home)) as root, pytest.raises(PathRefused) as refused:
        Box(root, folder, ".json").get(name)
    assert refused.value.code == case.code


def a_script_that_is_a_link_is_not_sourced(case: Case, home: Path) -> None:
    path, _, target = case.input["fs"].partition(" is a symlink to ")
    one = Resident(home, "tclsh", SP_JOB_ID=JOB)
    try:
        (home / path).symlink_to(target)
        name = one.next_id("run")
        message = one.ask(name, request(name, path, job_id=JOB))["message"]
    finally:
        one.kill()
    assert message.startswith(f"security violation: {case.code}: ")


MADE: dict[str, Callable[[Path], object]] = {
    "FIFO": os.mkfifo,
    "fifo": os.mkfifo,
    "directory": Path.mkdir,
    "empty": Path.touch,
    "half[ -]written": lambda path: path.write_text('{"schema_version": "1.0", "requ'),
    "zeros": lambda path: path.write_bytes(bytes(100)),
}
"""What may lie there in the place of a request, by the words for it."""


def a_request_that_is_no_whole_file(case: Case, home: Path) -> None:
    """The executor says so, and neither waits for more nor ends."""
    path, _, kind = case.input["fs"].partition(" is ")
    one = Resident(home, "tclsh", SP_JOB_ID=JOB)
    try:
        next(make for word, make in MADE.items() if re.search(word, kind))(home / path)
        name = Path(path).stem
        one.wake.tell(name)
        message = one.ack(name)["message"]
    finally:
        one.kill()
    assert message.startswith(f"security violation: {case.code}: "), message


def an_ack_that_nobody_asked_for(case: Case, home: Path) -> None:
    """A script writes one into the tool's own box, which counts for nothing, and is told."""
    del case
    site = JobSite(home)
    forged = f"{NAME}_9999"
    site.script(SCRIPT + FORGES.format(name=forged, text='"status": "PASS"'))
    job = site.run()
    assert ignored(job) == [forged]
    assert not (job.path / "ack" / f"{forged}.json").exists()
    assert job.verdict == ("PASS", "OK")


def a_second_ack(case: Case, home: Path) -> None:
    """A later script puts another one in the place of an ack that counts: the first one stays."""
    assert case.code == "exists"
    site = JobSite(home)
    site.contract(
        CONTRACT.replace(
            "    entry: templates/run.tcl\n",
            "    entry: templates/run.tcl\n  - name: again\n    entry: templates/again.tcl\n",
        )
    )
    site.script(REWRITES, "again")
    job = site.run()
    [(key, said)] = [(path.stem, path.read_text()) for path in job.path.glob("ack/*_run.json")]
    assert json.loads(said)["status"] == "PASS"
    assert ignored(job) == [key]
    with Root.open(str(job.path)) as root:
        assert not Box(root, "ack", ".json").put(key, b"another")


def a_heartbeat_that_stands_still(case: Case, home: Path) -> None:
    """It is seen not to change, whatever it says."""
    years = re.search(r"in the (future|past) by (\d+) years?", case.input["fs"])
    assert years is not None, f"nothing here knows how to do this: {case.input}"
    site = JobSite(home)
    sign = "+" if years[1] == "future" else "-"
    site.script(YEARS.format(seconds=f"{sign} {int(years[2]) * 31536000}"))
    assert f"detect:{site.run().verdict[1]}" == case.expect


def ignored(job: Job) -> list[str]:
    """Return the requests whose acks were told to count for nothing."""
    return [fact.request_id for fact in job.facts() if isinstance(fact, SessionAckIgnored)]


LYING_THERE: tuple[tuple[str, Callable[[Case, Path], None]], ...] = (
    (r"already exists", a_request_that_is_there_stays),
    (r"^scripts/\S+ is a symlink", a_script_that_is_a_link_is_not_sourced),
    (r"symlink", a_request_that_is_a_link_is_not_read),
    (rf"^queue/\S+ is (?:an? )?(?:{'|'.join(MADE)})", a_request_that_is_no_whole_file),
    (r"never made|another job", an_ack_that_nobody_asked_for),
    (r"second ack", a_second_ack),
    (r"heartbeat", a_heartbeat_that_stands_still),
)
"""What a case says, and what is done then."""
