"""Scripts that mean harm, run by a skill job in a tool that is confined as a session is."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from custody.model import layout
from support.hostile import Case, cases, known
from support.jobs import DESIGN, QUICK, SCRIPT, Job, JobSite

HOST = Path("/etc/passwd").read_bytes().splitlines()[0]
"""What nobody has any business to see."""
TIMEOUT = 2.0
LIBRARY = """
#include <stdio.h>
int Evil_Init(void *interp) { puts("evil"); return 0; }
"""
LOADS = """
cd $env(SP_REPORTS_DIR)
file copy [file join [file dirname $enc_path] evil.so] .
if {{[catch {{{load}}} why]}} {{puts stderr $why; error $why}}
"""


@pytest.mark.timeout(120)
@pytest.mark.req("S-09", "S-10", "S-15")
@pytest.mark.parametrize("case", cases("tcl"), ids=str)
def test_tcl(case: Case, tmp_path: Path) -> None:
    way_to_run(case)(case, JobSite(tmp_path))


def way_to_run(case: Case) -> Callable[[Case, JobSite], None]:
    if case.expect != "deny:kernel":
        return known(WAYS, case.expect, case)
    text = text_of(case)
    if "ack/" in text:
        return its_own_ack
    return {"socket": a_socket, "load": a_library}.get(text.split()[0], what_it_sources)


def text_of(case: Case) -> str:
    text: str = case.input if isinstance(case.input, str) else case.input["script"]
    return text


def run(site: JobSite, text: str, timeout: float = 20.0) -> Job:
    """Have a skill do this, and then what it is there for."""
    site.script(f"{text}\n{SCRIPT}")
    return site.run(timeout=timeout)


def denied(job: Job, error: str = "CMD_FAIL") -> str:
    """Return why a job failed, once nothing of the machine is found in what it has left."""
    assert job.verdict == ("FAIL", error)
    for path in job.path.rglob("*"):
        if path.is_file() and not path.is_symlink():
            assert HOST not in path.read_bytes(), path
    message: str = job.manifest["message"]
    return message


def what_it_sources(case: Case, site: JobSite) -> None:
    """Reading a file of the machine: what the tool sees there is the sandbox's own."""
    text = text_of(case)
    if isinstance(case.input, dict):
        name, _, target = case.input["fs"].partition(" -> ")
        (site.home / Path(name).name).symlink_to(target)
        text = f"set p [file dirname $enc_path]\n{text}"
    assert "security violation" not in denied(run(site, text))


def a_program(case: Case, site: JobSite) -> None:
    message = denied(run(site, text_of(case)))
    assert message.startswith("security violation: exec: ")


def a_socket(case: Case, site: JobSite) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
        server.settimeout(0.1)
        denied(run(site, re.sub(r"\d+$", str(port), text_of(case))))
        with pytest.raises(TimeoutError):
            server.accept()


def a_library(case: Case, site: JobSite) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    source = site.home / "evil.c"
    source.write_text(LIBRARY)
    made = ("gcc", "-shared", "-fPIC", "-o", str(site.home / "evil.so"), str(source))
    subprocess.run(made, check=True)
    message = denied(run(site, LOADS.format(load=text_of(case))))
    assert "evil.so" in message


def its_own_ack(case: Case, site: JobSite) -> None:
    """Neither where the case has it, nor where the document has it, can anything be written."""
    for folder in ("", "$env(SP_RUN_DIR)/"):
        text = text_of(case).replace("ack/", f"{folder}ack/")
        job = run(site, text)
        assert re.search("no such file|permission|read-only", denied(job))
        assert not (job.path / layout.ACK / "j_0001_run.json").exists()


def no_end(case: Case, site: JobSite) -> None:
    denied(run(site, text_of(case), TIMEOUT), "QUEUE_TIMEOUT")


def no_bounds(case: Case, site: JobSite) -> None:
    site.own(QUICK + 'memory = "512M"\n')
    message = denied(run(site, f"{text_of(case)}\nafter 5000"), "INNOVUS_CRASH")
    assert "memory (512M)" in message


def nothing_was_made(case: Case, site: JobSite) -> None:
    """The script has passed, by the tool's word; its outputs are not there."""
    site.script(text_of(case))
    job = site.run()
    denied(job, "OUTPUT_MISSING")


def it_ends_the_session(case: Case, site: JobSite) -> None:
    message = denied(run(site, text_of(case)))
    assert re.search("has replaced `exit`|a session is not ended by a script", message)


def the_restore_wrapper_alone(case: Case, site: JobSite) -> None:
    """The design is sourced by the wrapper, which is recorded, and by no other request."""
    assert case.expect == "accept:restore_only"
    job = site.run()
    assert job.verdict == ("PASS", "OK")
    wrapper = job.manifest["artifacts"]["restore_wrapper"]
    said = (job.path / wrapper).read_text()
    for line in text_of(case).split("; "):
        assert line in said.splitlines()
    assert DESIGN.partition('"')[0] in (site.home / "top.enc").read_text()
    with_it = [path for path in (job.path / "scripts").iterdir() if "enc_path" in path.read_text()]
    assert {path.name for path in with_it} == {Path(wrapper).name}
    assert (job.path / job.manifest["artifacts"]["restore_ack"]).is_file()


WAYS: dict[str, Callable[[Case, JobSite], None]] = {
    "deny:exec": a_program,
    "deny:timeout": no_end,
    "deny:memory": no_bounds,
    "detect:no_effect": nothing_was_made,
    "detect:typed_fail": it_ends_the_session,
    "ignore:stdout": nothing_was_made,
    "accept:restore_only": the_restore_wrapper_alone,
}
"""By what is expected; what the kernel denies is told apart by what was tried."""
