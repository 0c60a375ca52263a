"""The same requests get the same acks in every tool."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support.resident import JOB, RESIDENT, TOKEN, Resident, request

Start = Callable[..., Resident]

TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
EXIT = "was called: a session is not ended by a script"
EXEC = "was called, and a script starts no program"
OUTSIDE = "security violation: symlink: invalid script path: it leads out of scripts/"
NOWHERE = "security violation: symlink: invalid script path: it leads nowhere"
NO_FILE = "security violation: not_regular: invalid script path: it is no plain file"


class Script(NamedTuple):
    """A script, and the message of its ack; empty for one that passes."""

    name: str
    text: str
    message: str = ""


SCRIPTS = (
    Script("nothing", ""),
    Script("a value", "set x 1"),
    Script("output", "puts hello"),
    Script("an error", "set x 1\nset y 2\nerror boo", "{script}:3: boo"),
    Script("an error in a proc", "proc p {} {\n\n error deep\n}\np", "{script}:5: deep"),
    Script("an empty error", "error {}", "{script}:1: an error without a message"),
    Script("an error that was caught", "catch {error boo}"),
    Script("lines in an error", 'error "one\\ntwo"', "{script}:1: one\ntwo"),
    Script("an unknown command", "no_such_command 1",
           '{script}:1: invalid command name "no_such_command"'),
    Script("an open brace", "set a {", "{script}:1: missing close-brace"),
    Script("an open quote", 'puts "x', '{script}:1: missing "'),
    Script("exit", "exit", f"`exit` {EXIT} ({{script}})"),
    Script("exit 0", "exit 0", f"`exit 0` {EXIT} ({{script}})"),
    Script("exit 3", "exit 3", f"`exit 3` {EXIT} ({{script}})"),
    Script("exit that was caught", "catch {exit 3}", f"`exit 3` {EXIT} ({{script}})"),
    Script("exit in an event", "after 1 {catch {exit 4}}\nafter 5 {set ::e 1}\nvwait ::e",
           f"`exit 4` {EXIT} ({{script}})"),
    Script("quit", "quit", f"`quit` {EXIT} ({{script}})"),
    Script("exit redefined", "proc ::exit args {}\nexit", "{script} has replaced `exit`"),
    Script("exit renamed", "rename exit gone_1", "{script} has replaced `exit`"),
    Script("exit and quit gone", "rename exit {}\nrename quit {}",
           "{script} has replaced `exit`, `quit`"),
    Script("break", "break", "{script}: `break` outside of a loop"),
    Script("continue", "continue", "{script}: `continue` outside of a loop"),
    Script("return", "return 5\nerror never"),
    Script("return an error", "return -code error bad", "{script}: bad"),
    Script("return a break", "return -code break", "{script}: `break` outside of a loop"),
    Script("return 17", "return -code 17 x", "{script} ended with the return code 17"),
    Script("vwait", "after 5 {set ::done 1}\nvwait ::done"),
    Script("update", "after 2\nupdate\nupdate idletasks"),
    Script("a background error", "after 1 {error behind}\nafter 5 {set ::b 1}\nvwait ::b",
           "an error in an event: behind ({script})"),
    Script("one that the script deals with", "proc ::bgerror why {set ::b $why}\n"
           "after 1 {error behind}\nvwait ::b\nrename ::bgerror {}\n"
           "if {$::b ne {behind}} {error $::b}"),
    Script("one that it fails to deal with", 'proc ::bgerror why {set ::b 1; error "again $why"}\n'
           "after 1 {error behind}\nvwait ::b\nrename ::bgerror {}",
           "an error in an event: again behind ({script})"),
    Script("one that waits to be told", "after 0 {error behind}\nafter 0 {set ::b 1}\nvwait ::b",
           "an error in an event: behind ({script})"),
    Script("events without end", "proc ::again how {after $how [list ::again $how]}\n"
           "::again idle\n::again 0\nafter 5 {rename ::again {}; proc ::again how {}}"),
    Script("source of what is not there", "source /nowhere/x.tcl",
           '{script}:1: couldn\'t read file "/nowhere/x.tcl": no such file or directory'),
    Script("source of a failing script", "source $::env(SP_SCRIPTS_DIR)/fails.tcl",
           "{script}:1: f"),
    Script("source in a catch", "catch {source $::env(SP_SCRIPTS_DIR)/fails.tcl} why\n"
           "if {$why ne {f}} {error $why}"),
    Script("exec", "exec id", f"security violation: exec: `exec id` {EXEC} ({{script}})"),
    Script("exec that was caught", "catch {exec id}",
           f"security violation: exec: `exec id` {EXEC} ({{script}})"),
    Script("a pipe", 'open "|id"', f"security violation: exec: `open |id` {EXEC} ({{script}})"),
    Script("files", "set f [open $::env(SP_REPORTS_DIR)/x.rpt w]\nputs $f 1\nclose $f"),
    Script("where it is", 'if {[file tail [info script]] ne "{name}.tcl"} {error [info script]}'),
    Script("its variables", 'if {$::env(SP_JOB_ID) ne "{job}"} {error $::env(SP_JOB_ID)}'),
    Script("letters", 'puts "h\u00e9 \u4e2d \U0001f600"\nerror "h\u00e9 \u4e2d \U0001f600"',
           "{script}:2: h\u00e9 \u4e2d \U0001f600"),
    Script("half a letter", 'error "a\\ud800b"', "{script}:1: a\ufffdb"),
    Script("a byte of 0", 'error "a\\0b"', "{script}:1: a\0b"),
    Script("quotes", 'error "\\" \\\\ / \\t {}"', '{script}:1: " \\ / \t {}'),
    Script("a long message", "error [string repeat x 9000]", "{script}:1: " + "x" * 5000),
    Script("its own name for things", "set busy 1\nset seen 1\nset running 1\nset token 9"),
    Script("stdin", "gets stdin line"),
    Script("close stdout", "flush stdout"),
)  # fmt: skip
"""What scripts do, in an interpreter that goes on from one to the next."""


def checked(ack: dict[str, Any], name: str) -> tuple[str, str, str]:
    """Return what an ack says, once all its fields are as documented."""
    assert list(ack) == [
        "schema_version", "request_id", "job_id", "status", "error_type", "message",
        "started_at", "finished_at", "duration_ms", "evidence_paths", "token",
    ]  # fmt: skip
    assert (ack["schema_version"], ack["request_id"]) == ("1.0", name)
    assert (ack["job_id"], ack["token"], ack["evidence_paths"]) == (JOB, TOKEN, [])
    assert TIME.fullmatch(ack["started_at"])
    assert TIME.fullmatch(ack["finished_at"])
    assert ack["started_at"] <= ack["finished_at"]
    assert isinstance(ack["duration_ms"], int)
    assert ack["duration_ms"] >= 0
    return ack["status"], ack["error_type"], ack["message"]


@pytest.mark.req("S-07")
@pytest.mark.parametrize("case", SCRIPTS, ids=lambda case: case.name)
def test_scripts(resident: Resident, case: Script) -> None:
    resident.script("fails.tcl", "error f")
    name = resident.next_id("run")
    text = case.text.replace("{name}", name).replace("{job}", JOB)
    script = resident.script(f"{name}.tcl", text)
    status, error_type, message = checked(resident.ask(name, request(name, script)), name)
    if case.message:
        wanted = case.message.replace("{script}", script)[:2000]
        assert (status, error_type, message) == ("FAIL", "CMD_FAIL", wanted)
    else:
        assert (status, error_type, message) == ("PASS", "OK", "")


REQUESTS: dict[str, tuple[dict[str, Any], str]] = {
    "another action": ({"action": "EXEC"}, "action"),
    "an action in small letters": ({"action": "source_tcl"}, "action"),
    "no action": ({"action": ...}, "missing"),
    "an absolute path": ({"script": "/etc/passwd"}, "absolute"),
    "out of the folder": ({"script": "scripts/../../x.tcl"}, "traversal"),
    "out of the folder at once": ({"script": "../x.tcl"}, "traversal"),
    "two dots in a name": ({"script": "scripts/a..b.tcl"}, "traversal"),
    "a folder of the same beginning": ({"script": "scripts_evil/x.tcl"}, "prefix"),
    "another case": ({"script": "Scripts/x.tcl"}, "prefix"),
    "the folder": ({"script": "scripts"}, "prefix"),
    "the folder with a slash": ({"script": "scripts/"}, "name"),
    "a folder below": ({"script": "scripts/sub/x.tcl"}, "depth"),
    "two slashes": ({"script": "scripts//x.tcl"}, "depth"),
    "another ending": ({"script": "scripts/x.sh"}, "name"),
    "a hidden file": ({"script": "scripts/.x.tcl"}, "name"),
    "a leading dash": ({"script": "scripts/-x.tcl"}, "name"),
    "a line end": ({"script": "scripts/x.tcl\n"}, "control"),
    "a byte of 0": ({"script": "scripts/x\0.tcl"}, "control"),
    "a command": ({"script": "scripts/x.tcl; exec id"}, "charset"),
    "a substitution": ({"script": "scripts/[exec id].tcl"}, "charset"),
    "a variable": ({"script": "scripts/$env(HOME).tcl"}, "charset"),
    "braces": ({"script": "scripts/{x}.tcl"}, "charset"),
    "a home": ({"script": "~root/x.tcl"}, "charset"),
    "a backslash": ({"script": "scripts\\x.tcl"}, "charset"),
    "letters": ({"script": "scripts/\u00e9.tcl"}, "charset"),
    "a list": ({"script": ["scripts/x.tcl"]}, "type"),
    "null": ({"script": None}, "type"),
    "a number": ({"script": 1}, "type"),
    "no script": ({"script": ...}, "missing"),
    "an empty script": ({"script": ""}, "prefix"),
    "a script that is not there": ({"script": "scripts/absent.tcl"}, ""),
    "another id": ({"request_id": "another"}, "id"),
    "a path for an id": ({"request_id": "../ack/x"}, "id"),
    "a number for an id": ({"request_id": 1}, "type"),
    "another job": ({"job_id": "another"}, "job"),
    "a path for a job": ({"job_id": "../x"}, "id"),
    "another version": ({"schema_version": "2.0"}, "schema"),
    "a version that is a number": ({"schema_version": 1.0}, "type"),
    "no date": ({"created_at": ...}, "missing"),
    "a time below zero": ({"timeout_s": -1}, "range"),
    "no time": ({"timeout_s": 0}, "range"),
    "a time that is text": ({"timeout_s": "1"}, "type"),
    "a hash that is none": ({"script_sha256": "abc"}, "sha256"),
}  # fmt: skip
"""What is changed in a request, and the code that it is refused by."""


@pytest.mark.req("S-06", "S-09")
@pytest.mark.parametrize("case", REQUESTS)
def test_requests(resident: Resident, case: str) -> None:
    changed, code = REQUESTS[case]
    resident.script("x.tcl", "error {it must not run}")
    name = resident.next_id("run")
    ack = resident.ask(name, request(name, **{"script": "scripts/x.tcl", **changed}))
    status, error_type, message = checked(ack, name)
    assert (status, error_type) == ("FAIL", "CMD_FAIL")
    assert message.startswith(f"security violation: {code}: " if code else "absent: "), message
    assert (
        "script" not in changed
        or not code
        or code in {"type", "missing"}
        or ("invalid script path" in message)
    )


WHOLE = json.dumps(request("@NAME", "scripts/ok.tcl"))
PART = WHOLE[:-1]
BYTES: dict[str, tuple[bytes, str]] = {
    "whole": (WHOLE.encode(), ""),
    "spaces": (f" \r\n\t{WHOLE} \n".encode(), ""),
    "further fields": (f'{PART}, "x": [1, -2e3, true, null, {{"y": {{}}}}, []]}}'.encode(), ""),
    "escapes": (WHOLE.replace("scripts/ok", "\\u0073cripts\\/ok").encode(), ""),
    "letters": (f'{PART}, "x": "\u00e9 \U0001f600 \\ud83d\\ude00 \\\\ud800"}}'.encode(), ""),
    "a limit of time": (f'{PART}, "timeout_s": 1.5e1}}'.encode(), ""),
    "a hash": (f'{PART}, "script_sha256": "{"0" * 64}"}}'.encode(), ""),
    "nothing": (b"", "json"),
    "a name twice": (f'{PART}, "script": "/etc/passwd"}}'.encode(), "duplicate_key"),
    "a name twice, once escaped": (f'{PART}, "scr\\u0069pt": "x"}}'.encode(), "duplicate_key"),
    "twice further down": (f'{PART}, "x": {{"a": 1, "a": 1}}}}'.encode(), "duplicate_key"),
    "NaN": (f'{PART}, "timeout_s": NaN}}'.encode(), "json"),
    "Infinity": (f'{PART}, "timeout_s": -Infinity}}'.encode(), "json"),
    "1e999": (f'{PART}, "timeout_s": 1e999}}'.encode(), "json"),
    "a number without an end": (f'{PART}, "timeout_s": {"9" * 5000}}}'.encode(), "json"),
    "a leading zero": (f'{PART}, "timeout_s": 010}}'.encode(), "json"),
    "a leading plus": (f'{PART}, "timeout_s": +1}}'.encode(), "json"),
    "hexadecimal": (f'{PART}, "timeout_s": 0x10}}'.encode(), "json"),
    "no digits": (f'{PART}, "timeout_s": .5}}'.encode(), "json"),
    "a list": (b"[]", "type"),
    "a text": (b'"x"', "type"),
    "half": (WHOLE[:40].encode(), "json"),
    "two": ((WHOLE + WHOLE).encode(), "json"),
    "a comma too many": (f"{PART},}}".encode(), "json"),
    "a comment": (f"{WHOLE} // x".encode(), "json"),
    "single quotes": (WHOLE.replace('"', "'").encode(), "json"),
    "a line end in a text": (f'{PART}, "x": "a\nb"}}'.encode(), "json"),
    "an escape that is none": (f'{PART}, "x": "\\x41"}}'.encode(), "json"),
    "half an escape": (f'{PART}, "x": "\\u12"}}'.encode(), "json"),
    "Tcl": (f'{PART}, "x": [exit]}}'.encode(), "json"),
    "a byte order mark": (b"\xef\xbb\xbf" + WHOLE.encode(), "json"),
    "UTF-16": (WHOLE.encode("utf-16"), "encoding"),
    "Latin-1": (f'{PART}, "x": "\u00e9"}}'.encode("latin-1"), "encoding"),
    "too long for its letter": (f'{PART}, "x": "'.encode() + b"\xc0\xaf" + b'"}', "encoding"),
    "half a pair as bytes": (f'{PART}, "x": "'.encode() + b"\xed\xa0\x80" + b'"}', "encoding"),
    "half a pair": (f'{PART}, "x": "\\ud83d"}}'.encode(), "encoding"),
    "the other half": (f'{PART}, "x": "a\\ude00"}}'.encode(), "encoding"),
    "a pair the wrong way round": (f'{PART}, "x": "\\ude00\\ud83d"}}'.encode(), "encoding"),
    "deep": (b"[" * 100000, "json"),
    "deep and whole": (f'{PART}, "x": {"[" * 90}{"]" * 90}}}'.encode(), "json"),
    "large": (f'{PART}, "x": "@{10 << 20}"}}'.encode(), "too_large"),
    "nearly too large": (f'{PART}, "x": "@{1000000}"}}'.encode(), ""),
}  # fmt: skip
"""What a request's file holds, and the code that it is refused by; ``@9`` is so many letters."""


@pytest.mark.req("S-09")
@pytest.mark.parametrize("case", BYTES)
def test_files(resident: Resident, case: str) -> None:
    data, code = BYTES[case]
    resident.script("ok.tcl", "set ran 1")
    name = resident.next_id("run")
    data = re.sub(rb"@(\d+)", lambda size: b"y" * int(size[1]), data)
    ack = resident.ask(name, data.replace(b"@NAME", name.encode()))
    status, error_type, message = checked(ack, name)
    if code:
        assert (status, error_type) == ("FAIL", "CMD_FAIL")
        assert message.startswith(f"security violation: {code}: "), message
    else:
        assert (status, error_type, message) == ("PASS", "OK", "")


def a_link_to(target: str) -> Callable[[Path], None]:
    """Return what makes a script a link."""

    def make(home: Path) -> None:
        (home / "scripts/link.tcl").unlink(missing_ok=True)
        (home / "scripts/link.tcl").symlink_to(target)

    return make


def a_folder(home: Path) -> None:
    (home / "scripts/link.tcl").unlink(missing_ok=True)
    (home / "scripts/link.tcl").mkdir()


def a_fifo(home: Path) -> None:
    if (home / "scripts/link.tcl").is_dir():
        (home / "scripts/link.tcl").rmdir()
    os.mkfifo(home / "scripts/link.tcl")


PLACES: dict[str, tuple[Callable[[Path], None], str]] = {
    "a link outside": (a_link_to("/etc/passwd"), OUTSIDE),
    "a link upwards": (a_link_to("../evil.tcl"), OUTSIDE),
    "a link to a folder": (a_link_to("/etc"), OUTSIDE),
    "a link to nothing": (
        a_link_to("nothing.tcl"), NOWHERE,
    ),
    "a link to itself": (
        a_link_to("link.tcl"), NOWHERE,
    ),
    "a link inside": (a_link_to("inside.tcl"), ""),
    "a folder": (a_folder, NO_FILE),
    "a FIFO": (a_fifo, NO_FILE),
}  # fmt: skip
"""What stands where a script should be, and the message of the ack."""


@pytest.mark.req("S-09")
def test_places(resident: Resident) -> None:
    (resident.home / "evil.tcl").write_text("puts evil")
    resident.script("inside.tcl", "puts inside")
    for case, (make, message) in PLACES.items():
        make(resident.home)
        name = resident.next_id("run")
        ack = resident.ask(name, request(name, "scripts/link.tcl"))
        wanted = ("FAIL", "CMD_FAIL", message) if message else ("PASS", "OK", "")
        assert checked(ack, name) == wanted, case


def test_a_request_that_is_a_link(resident: Resident) -> None:
    name = resident.next_id("run")
    (resident.home / "queue" / f"{name}.json").symlink_to("/etc/shadow")
    resident.wake.tell(name)
    _, _, message = checked(resident.ack(name), name)
    assert message == "security violation: symlink: the request is no plain file"


def test_names_that_are_none_are_left_alone(resident: Resident) -> None:
    for name in (".hidden", "a b", "-x", "\u00e9", "x" * 210, "[exit]"):
        (resident.home / "queue" / f"{name}.json").write_text("{}")
        resident.wake.tell(name)
    resident.wake.tell("../scripts/x")
    resident.wake.tell("")
    assert resident.run("")["status"] == "PASS"
    assert {path.name for path in (resident.home / "ack").iterdir()} == {
        path.name for path in (resident.home / "session/claim").iterdir()
    }


@pytest.mark.req("S-07")
def test_a_request_is_carried_out_once_however_often_it_is_seen(resident: Resident) -> None:
    count = resident.home / "count"
    count.write_text("")
    name = resident.next_id("run")
    add = f"set f [open {{{count}}} a]; puts $f x; close $f; after 30 {{set ::o 1}}; vwait ::o"
    resident.post(name, request(name, resident.script(f"{name}.tcl", add)))
    for _ in range(20):
        resident.wake.tell(name)
    before = resident.ack(name)
    (resident.home / "queue" / f"{name}.json").touch()
    resident.wake.tell(name)
    resident.run("update")
    assert count.read_text() == "x\n"
    assert resident.ack(name) == before


@pytest.mark.req("S-07")
def test_an_ack_that_is_there_stays(resident: Resident) -> None:
    name = resident.next_id("run")
    forged = f'{{"status": "PASS"}} of {name}'
    path = resident.home / "ack" / f"{name}.json"
    text = f"set f [open {{{path}}} w]; puts -nonewline $f {{{forged}}}; close $f; error real"
    resident.post(name, request(name, resident.script(f"{name}.tcl", text)))
    assert resident.run("")["status"] == "PASS"
    assert path.read_text() == forged
    assert f"there is an ack of {name} already" in resident.said("stderr")


def test_what_comes_while_a_script_waits_is_neither_lost_nor_run_within_it(
    resident: Resident,
) -> None:
    order = resident.home / "order"
    order.write_text("")

    def say(word: str) -> str:
        return f"set f [open {{{order}}} a]; puts -nonewline $f {{{word} }}; close $f\n"

    slow, quick = resident.next_id("slow"), resident.next_id("quick")
    wait = "set ::go 0\nwhile {!$::go} {update; if {[file exists {%s}]} {set ::go 1}; after 1}\n"
    begun, asked = resident.home / "begun", resident.home / "asked"
    text = f"close [open {{{begun}}} w]\n{say('begin')}{wait % asked}{say('end')}"
    resident.post(slow, request(slow, resident.script(f"{slow}.tcl", text)))
    while not begun.exists():
        assert resident.process.poll() is None
    resident.post(quick, request(quick, resident.script(f"{quick}.tcl", say("quick"))))
    asked.touch()
    assert resident.ack(slow)["status"] == "PASS"
    assert resident.ack(quick)["status"] == "PASS"
    assert order.read_text() == "begin end quick "


def test_markers_stand_on_both_streams_around_what_a_request_prints(resident: Resident) -> None:
    name = resident.next_id("run")
    text = "puts -nonewline out\nputs -nonewline stderr err"
    resident.ask(name, request(name, resident.script(f"{name}.tcl", text)))
    both = resident.tool == "opensta"  # it prints all of it to its standard output
    assert resident.said("stdout", name) == ("outerr" if both else "out")
    assert resident.said("stderr", name) == ("outerr" if both else "err")
    failed = resident.next_id("run")
    resident.ask(
        failed, request(failed, resident.script(f"{failed}.tcl", "\nproc p {} {error e}\np"))
    )
    assert f"(scripts/{failed}.tcl:3)" in resident.said("stderr", failed)


@pytest.mark.req("S-15")
def test_a_restore_that_fails_is_told_apart(resident: Resident) -> None:
    name = resident.next_id("restore")
    script = resident.script("restore_wrapper.tcl", "error {no such design}")
    said = checked(resident.ask(name, request(name, script)), name)
    assert said == ("FAIL", "RESTORE_FAIL", "scripts/restore_wrapper.tcl:1: no such design")


WRECKS = (
    "rename puts puts_1; proc puts args {error puts}",
    "proc source args {}",
    "rename file file_1; proc file args {error file}",
    "proc after args {}; proc vwait args {}; proc update args {}",
    "proc clock args {error clock}; proc glob args {return {}}",
    "proc scan args {error scan}; proc format args {return x}; proc string args {return {}}",
    "proc ::tick {} {error t}; proc look args {}; proc acked args {}; set ::stopped 1",
    "proc open args {error open}; proc close args {error close}; proc flush args {error f}",
    "proc bgerror args {error bg}; after 0 {error behind}; after 1 {nothing_1}",
    "close stdout",
    "proc rename args {}; proc interp args {}",
    "foreach name [info commands *expr*] {proc $name args {return 0}}",
    "after cancel [lindex [after info] 0]; foreach id [after info] {after cancel $id}",
    "cd /; set ::env(SP_ACK_DIR) /nowhere; set ::env(SP_QUEUE_DIR) /nowhere",
)
"""What scripts do to their own interpreter, one after the other."""


@pytest.mark.parametrize("tool", RESIDENT)
def test_scripts_can_wreck_their_interpreter_and_not_the_loop(start: Start, tool: str) -> None:
    resident = start(tool)
    for wreck in WRECKS:
        ack = resident.run(wreck)
        assert ack["status"] in {"PASS", "FAIL"}, wreck
    assert resident.run("error {still there}")["message"].endswith("still there")
    assert resident.run("set x 1")["status"] in {"PASS", "FAIL"}
    beat = resident.home / "session/heartbeat"
    before = beat.read_text()
    while beat.read_text() == before:
        assert resident.process.poll() is None
    assert resident.stop() == 0
