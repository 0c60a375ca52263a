"""What a confined stage sees, what it leaves, and how it ends."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from custody.model.request import Command
from custody.sandbox.confinement import Confinement
from custody.supervise.supervisor import Supervisor
from support.processes import wait_until_gone
from support.sandboxes import Site

LEVELS = ("L2", "L3")
PYTHON = sys.executable

DAEMON = """
import os, sys, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    os.wait()
print('started', flush=True)
"""


def mounts() -> str:
    return Path("/proc/self/mountinfo").read_text()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("python3 -c 'import ssl, subprocess, multiprocessing; print(40 + 2)'", "42"),
        ("git init -q made && cd made && git add . && git status --branch --short", "## No"),
        ("git init -q . && git add . && git -c user.name=a -c user.email=b commit -qm x", ""),
        ("seq 100 | grep 7 | wc -l", "19"),
        ("echo 'int main(){return 0;}' > a.c && gcc a.c && ./a.out && echo built", "built"),
        ("python3 -m venv --without-pip env && env/bin/python -c 'print(6*7)'", "42"),
        ("printf '#!/bin/sh\\necho script' > s && chmod +x s && ./s", "script"),
        ("sort < /dev/null > /dev/null && cat kept.txt", "kept"),
        ("f=$(mktemp) && echo kept > $f && cat $f", "kept"),
        ("echo text > /dev/stdout", "text"),
        ("mkdir -p d/e && mv d/e f && ls -d f", "f"),
        ("echo hello >> kept.txt && cat kept.txt", "hello"),
        ("ulimit -c", "0"),
    ],
)  # fmt: skip
def test_ordinary_tools_work(site: Site, level: str, program: str, said: str) -> None:
    site.environment["TMPDIR"] = f"{site.cache}/tmp"
    (site.cache / "tmp").mkdir()
    ran = site.run(site.confinement(level), "sh", "-c", program)
    assert ran.result.succeeded, ran
    assert said in ran.stdout


def installed(*argv: str) -> bool:
    """Whether a program works here at all."""
    try:
        return subprocess.run(argv, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("level", LEVELS)
def test_tools_of_the_user_work_where_they_are_installed(site: Site, level: str) -> None:
    tools = [argv for argv in (["node", "--version"], ["pip", "--version"]) if installed(*argv)]
    shims = Path.home() / ".pyenv" / "shims" / "python3"
    tools += [[str(shims), "--version"]] if shims.exists() else []
    for argv in tools:
        ran = site.run(site.confinement(level), *argv)
        assert ran.result.succeeded, (argv, ran)


@pytest.mark.parametrize("level", LEVELS)
def test_a_program_made_in_memory_runs(site: Site, level: str) -> None:
    script = (
        "import os; f = os.memfd_create('x', 0); os.write(f, open('/bin/true', 'rb').read());"
        "os.execve(f, ['true'], {})"
    )
    assert site.run(site.confinement(level), PYTHON, "-c", script).result.succeeded


def test_changes_go_to_the_upper_layer_alone(site: Site) -> None:
    confinement = site.confinement("L3")
    ran = site.run(confinement, "sh", "-c", "echo new > new.txt; rm kept.txt; ls")
    assert ran.stdout == "new.txt\n"
    assert sorted(path.name for path in site.workspace.iterdir()) == ["holdout", "kept.txt"]
    assert confinement.layers is not None
    upper = Path(confinement.layers.upper)
    assert sorted(path.name for path in upper.iterdir()) == ["kept.txt", "new.txt"]
    assert (upper / "new.txt").stat().st_uid == os.geteuid()


def test_lines_of_a_stage_work_on_the_same_layers(site: Site) -> None:
    confinement = site.confinement("L3")
    for number in "123":
        ran = site.run(confinement, "sh", "-c", f"echo {number} >> kept.txt; cat kept.txt")
        assert ran.result.succeeded, ran
    assert ran.stdout == "kept1\n2\n3\n"
    assert (site.workspace / "kept.txt").read_text() == "kept"


@pytest.mark.req("P-18")
def test_a_hidden_path_that_is_made_again_shows_in_the_upper_layer(site: Site) -> None:
    confinement = site.confinement("L3")
    ran = site.run(confinement, "sh", "-c", "mkdir holdout && echo guess > holdout/answer.txt")
    assert ran.result.succeeded, ran
    assert confinement.layers is not None
    assert (Path(confinement.layers.upper) / "holdout" / "answer.txt").read_text() == "guess\n"
    assert (site.workspace / "holdout" / "answer.txt").read_text() == "42"


def test_without_layers_the_folder_itself_is_the_workspace(site: Site) -> None:
    ran = site.run(site.confinement("L3", layered=False), "sh", "-c", "pwd; echo new > new.txt")
    assert ran.stdout == "/ws\n"
    assert (site.workspace / "new.txt").read_text() == "new\n"


def test_commands_of_a_chain_share_their_sandbox(site: Site) -> None:
    ran = site.chain(
        site.confinement("L3"),
        Command(argv=("sh", "-c", "echo one > /tmp/one; mkdir made")),
        Command(argv=("cat", "/tmp/one"), joined_by="&&"),
        Command(argv=("tr", "o", "0"), joined_by="|"),
        Command(argv=("pwd",), workdir="made", joined_by="&&"),
    )
    assert ran.stdout == "0ne\n/ws/made\n"


def test_the_next_line_finds_a_fresh_sandbox(site: Site) -> None:
    site.run(site.confinement("L3"), "sh", "-c", "touch /tmp/one /home/two /dev/shm/three")
    ran = site.run(site.confinement("L3"), "ls", "/tmp", "/home", "/dev/shm")
    assert ran.stdout.split() == ["/dev/shm:", "/home:", "/tmp:"]


def test_paths_in_the_environment_are_those_inside(site: Site) -> None:
    site.environment |= {
        "TMPDIR": f"{site.cache}/tmp",
        "GOCACHE": f"{site.workspace}/go",
        "CUSTODY_RUN_DIR": str(site.run_folder),
        "CUSTODY_STAGE_DIR": str(site.run_folder),
    }
    ran = site.run(site.confinement("L3"), "env")
    assert {"TMPDIR=/cache/tmp", "GOCACHE=/ws/go"} <= set(ran.stdout.split())
    assert str(site.run_folder) not in ran.stdout


@pytest.mark.parametrize("what", ["environ", "mem", "maps", "fd/3", "root/etc", "cwd"])
def test_the_first_process_of_a_sandbox_gives_nothing_away(site: Site, what: str) -> None:
    ran = site.run(site.confinement("L3"), "ls", "-lL", f"/proc/1/{what}/")
    assert not ran.result.succeeded
    opened = site.run(site.confinement("L3"), "cat", f"/proc/1/{what}")
    assert not opened.result.succeeded
    assert opened.stdout == ""


def test_the_first_process_of_a_sandbox_cannot_be_killed(site: Site) -> None:
    ran = site.run(site.confinement("L3"), "sh", "-c", "kill -9 1; kill -STOP 1; echo alive")
    assert ran.stdout == "alive\n"


def test_only_processes_of_the_line_are_seen(site: Site) -> None:
    script = "import os; print(*[n for n in os.listdir('/proc') if n.isdigit()])"
    ran = site.run(site.confinement("L3"), PYTHON, "-c", script)
    assert len(ran.stdout.split()) == 2


def test_another_confinement_gets_another_sandbox(site: Site) -> None:
    others = len([name for _, name in socket.if_nameindex() if name != "lo"])
    for network, count in (("loopback", 0), ("host", others), ("loopback", 0), ("host", others)):
        script = "import socket; print(len([n for _, n in socket.if_nameindex() if n != 'lo']))"
        ran = site.run(site.confinement("L3", network=network), PYTHON, "-c", script)
        assert ran.stdout.strip() == str(count)


def test_confined_and_other_lines_take_turns(site: Site) -> None:
    for level in ("L3", "L1", "L2", "L3", "L2", "L1"):
        ran = site.run(site.confinement(level), PYTHON, "-c", DAEMON)
        assert (ran.stdout, ran.result.leftovers, ran.result.survivors) == ("started\n", 3, 0)


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_outlives_a_line(site: Site, level: str) -> None:
    before = mounts()
    ran = site.run(site.confinement(level), PYTHON, "-c", DAEMON)
    assert ran.stdout == "started\n"
    assert (ran.result.leftovers, ran.result.survivors) == (3, 0)
    assert mounts() == before


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trap", ["", "trap '' TERM; "])
def test_the_time_out_ends_everything(site: Site, level: str, trap: str) -> None:
    line = f"{trap}echo on; while :; do sleep 1000; done"
    ran = site.run(site.confinement(level), "sh", "-c", line, timeout=1)
    assert ran.stdout == "on\n"
    assert ran.result.ended_by == "timeout"
    assert ran.result.survivors == 0
    assert site.run(site.confinement(level), "true").result.succeeded


def test_a_sandbox_ends_with_its_keeper(site: Site) -> None:
    started = threading.Event()
    result: list[object] = []

    def run() -> None:
        started.set()
        result.append(site.run(site.confinement("L3"), "sleep", "1000").result.ended_by)

    site.run(site.confinement("L3"), "true")
    keeper = site.supervisor._keeper
    assert keeper is not None
    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    inside: list[int] = []
    while not inside:
        listed = Path(f"/proc/{keeper._pid}/task/{keeper._pid}/children").read_text()
        inside = [int(pid) for pid in listed.split()]
    os.kill(keeper._pid, 9)
    thread.join()
    wait_until_gone(inside)
    assert result == ["supervisor_lost"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cache": "/no/such/cache"}, "confinement_failed: /no/such/cache is missing"),
        ({"workspace": "/no/such", "layers": None}, "confinement_failed: /no/such is missing"),
        ({"level": "L2", "network": "loopback", "layers": None},
         "confinement_failed: a network of loopback alone needs L3"),
        ({"level": "L2"}, "confinement_failed: layers need L3"),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_a_failure(
    site: Site, change: dict[str, object], reason: str
) -> None:
    confinement: Confinement = msgspec.structs.replace(site.confinement("L3"), **change)
    ran = site.run(confinement, "touch", "started")
    assert ran.result.failure_reason == reason
    assert not ran.result.succeeded
    assert not (site.workspace / "started").exists()


def test_a_workspace_made_anew_can_be_written_at_l2(site: Site) -> None:
    for _ in range(2):
        assert site.run(site.confinement("L2"), "sh", "-c", "echo new > new.txt").result.succeeded
        site.workspace.rename(site.home / f"old{len(list(site.home.iterdir()))}")
        site.workspace.mkdir()


if os.geteuid() == 0:

    def test_root_becomes_another_user_at_l2_where_that_is_wanted(site: Site) -> None:
        os.chown(site.workspace, 65534, 65534)
        other = msgspec.structs.replace(site.confinement("L2"), user=65534)
        line = "id -u; id -G; echo new > new.txt; chmod 600 kept.txt"
        ran = site.run(other, "sh", "-c", line)
        assert ran.stdout == "65534\n65534\n"
        assert "not permitted" in ran.stderr
        assert (site.workspace / "new.txt").stat().st_uid == 65534
        assert site.run(site.confinement("L2"), "id", "-u").stdout == "0\n"


def test_a_missing_layer_is_a_failure(site: Site) -> None:
    confinement = site.confinement("L3")
    assert confinement.layers is not None
    os.rmdir(confinement.layers.work)
    reason = site.run(confinement, "true").result.failure_reason
    expected = f"confinement_failed: layer {confinement.layers.work}: No such file or directory"
    assert reason == expected


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["no-such-tool", "./missing"])
def test_what_cannot_be_started_is_told(site: Site, level: str, name: str) -> None:
    assert site.run(site.confinement(level), name).result.failure == f"tool_not_found: {name}"


TALK = """
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
    print("outside")
except ConnectionRefusedError:
    print("inside")
"""


@pytest.mark.parametrize(("network", "reached"), [("loopback", "inside"), ("host", "outside")])
def test_an_open_network_is_as_open_as_it_says(site: Site, network: str, reached: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        ran = site.run(site.confinement("L3", network=network), PYTHON, "-c", TALK, port)
    assert ran.stdout == f"{reached}\n", ran


def test_two_sandboxes_do_not_disturb_each_other(site: Site) -> None:
    said: list[str] = []

    def work(name: str) -> None:
        folder = site.home / name
        folder.mkdir()
        with Supervisor() as supervisor:
            own = Site(supervisor, folder)
            script = (
                f"for i in 1 2 3; do echo {name} >> /tmp/x; echo {name} > y; done; cat /tmp/x y"
            )
            said.extend(own.run(own.confinement("L3"), "sh", "-c", script).stdout for _ in range(3))

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == ["one\n" * 4] * 3 + ["two\n" * 4] * 3


@pytest.mark.parametrize("level", LEVELS)
def test_bounds_hold(site: Site, level: str) -> None:
    confinement = site.confinement(level)
    small = msgspec.structs.replace(
        confinement, bounds=msgspec.structs.replace(confinement.bounds, file_size=4096)
    )
    ran = site.run(small, "sh", "-c", "head -c 10000 /dev/zero > big; wc -c < big; ulimit -f 9999")
    assert ran.stdout.strip() == "4096"
    assert not ran.result.succeeded
