from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from custody.errors import StorageFailed
from custody.model.request import Command
from custody.sandbox.landlock import has_scopes
from custody.supervise.descendants import children
from custody.supervise.supervisor import OUTPUT_LIMIT, Launch, Limits, StreamName, Supervisor
from support.processes import Bench, is_alive, shell_line, wait_until_gone

PYTHON = sys.executable

DAEMON = """
import os, sys, time
ready, done = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.environ.clear()
        while True:
            with open("written", "a") as file:
                file.write("x")
            if done is not None:
                os.write(done, str(os.getpid()).encode())
                done = None
    os._exit(0)
print(os.read(ready, 32).decode(), flush=True)
"""

PARENT = """
import os, sys
from custody.model.request import Command, CommandLine
from custody.sandbox.landlock import has_scopes
from custody.supervise.descendants import children
from custody.supervise.supervisor import Limits, Launch, Supervisor
line = CommandLine(text="…", commands=(Command(argv=("sh", "-c", sys.argv[2])),))
place = Launch(sys.argv[1], {"PATH": os.environ["PATH"]})
null = os.open(os.devnull, os.O_WRONLY)
with Supervisor() as supervisor:
    try:
        supervisor.run(line, place, Limits(60), stdout=null, stderr=null)
    except KeyboardInterrupt:
        print(*[os.path.exists(f"/proc/{pid}") for pid in open("pids").read().split()])
        raise
"""


def test_a_program_runs_without_a_shell(bench: Bench) -> None:
    ran = bench.run(Command(argv=("printf", "%s|", "$HOME", "a b", "*")))
    assert ran.result.succeeded
    assert ran.result.exit_code == 0
    assert ran.result.failure_reason == ""
    assert ran.stdout == b"$HOME|a b|*|"


def test_a_failure_is_told(bench: Bench) -> None:
    ran = bench.shell("echo out; echo err >&2; exit 3")
    assert (ran.stdout, ran.stderr) == (b"out\n", b"err\n")
    assert not ran.result.succeeded
    assert ran.result.exit_code == 3
    assert ran.result.failure_reason == "tool_exit_code_3"
    assert (ran.result.stdout.tail, ran.result.stderr.tail) == (b"out\n", b"err\n")
    assert ran.result.seconds > 0


def test_a_signal_is_told(bench: Bench) -> None:
    result = bench.shell("kill -SEGV $$").result
    assert (result.exit_code, result.signal) == (139, signal.SIGSEGV)
    assert result.failure_reason == "tool_exit_code_139"


def test_a_pipe_is_a_pipe(bench: Bench) -> None:
    ran = bench.run(
        Command(argv=("seq", "300000")),
        Command(argv=("grep", "7"), joined_by="|"),
        Command(argv=("head", "-n", "2"), joined_by="|"),
        Command(argv=("echo", "after"), joined_by="&&"),
    )
    assert ran.result.succeeded
    assert ran.stdout == b"7\n17\nafter\n"


def test_a_pipe_fails_when_its_first_command_does(bench: Bench) -> None:
    ran = bench.run(
        Command(argv=("sh", "-c", "echo made; exit 4")), Command(argv=("cat",), joined_by="|")
    )
    assert ran.stdout == b"made\n"
    assert ran.result.exit_code == 4


def test_both_streams_are_read_at_once(bench: Bench) -> None:
    code = "import os\nfor _ in range(64):\n os.write(2, b'e' * 65536)\n os.write(1, b'o' * 65536)"
    ran = bench.run(Command(argv=(PYTHON, "-c", code)))
    assert ran.result.succeeded
    assert ran.stdout == b"o" * (64 * 65536)
    assert ran.stderr == b"e" * (64 * 65536)


def test_endless_output_is_cut_and_ended(bench: Bench) -> None:
    ran = bench.run(Command(argv=("yes",)))
    assert ran.result.ended_by == "output_limit"
    assert ran.result.failure_reason == "output_limit"
    assert ran.result.exit_code is None
    assert ran.result.stdout.truncated
    assert not ran.result.stderr.truncated
    assert len(ran.stdout) == ran.result.stdout.size == OUTPUT_LIMIT


def test_output_up_to_the_limit_is_whole(bench: Bench) -> None:
    ran = bench.shell("head -c 5000 /dev/zero; head -c 5000 /dev/zero >&2", Limits(60, output=5000))
    assert ran.result.succeeded
    assert len(ran.stdout) == len(ran.stderr) == 5000
    assert not ran.result.stdout.truncated


def test_a_time_out_ends_the_whole_family(bench: Bench) -> None:
    ran = bench.shell(
        "sleep 1000 & echo $!; (sleep 1000 & echo $!; exec sleep 1000) & echo $!; wait",
        Limits(1, grace=5),
    )
    assert ran.result.ended_by == "timeout"
    assert ran.result.exit_code is None
    assert ran.result.seconds < 5
    pids = [int(pid) for pid in ran.stdout.split()]
    assert len(pids) == 3
    assert not any(is_alive(pid) for pid in pids)


def test_what_ignores_the_request_to_end_is_killed(bench: Bench) -> None:
    ran = bench.shell("trap '' TERM; echo $$; while :; do sleep 1000; done", Limits(0.5, grace=0.2))
    assert ran.result.ended_by == "timeout"
    assert ran.result.signal == signal.SIGKILL
    assert not is_alive(int(ran.stdout))


def test_a_program_may_tidy_up_when_its_time_is_over(bench: Bench) -> None:
    ran = bench.shell("trap 'echo tidy; exit 0' TERM; while :; do sleep 0.01; done", Limits(0.5))
    assert ran.stdout == b"tidy\n"
    assert ran.result.ended_by == "timeout"
    assert not ran.result.succeeded


def test_a_chain_ends_with_its_time(bench: Bench) -> None:
    ran = bench.run(
        Command(argv=("sleep", "1000")),
        Command(argv=("echo", "no"), joined_by=";"),
        Command(argv=("echo", "no"), joined_by="||"),
        limits=Limits(0.2),
    )
    assert ran.result.ended_by == "timeout"
    assert ran.stdout == b""


@pytest.mark.req("P-05", "P-06")
def test_a_writer_in_the_background_is_gone_when_the_stage_has_ended(bench: Bench) -> None:
    ran = bench.run(Command(argv=(PYTHON, "-c", DAEMON)))
    assert ran.result.succeeded
    assert ran.result.leftovers == 1
    assert not is_alive(int(ran.stdout))
    size = (bench.workspace / "written").stat().st_size
    bench.run(Command(argv=("true",)))
    assert (bench.workspace / "written").stat().st_size == size


def test_many_generations_in_sessions_of_their_own_are_gone(bench: Bench) -> None:
    text = 'echo $$; [ $1 = 0 ] || setsid sh -c "$0" "$0" $(($1 - 1)) & sleep 1000 & echo $!'
    ran = bench.run(
        Command(argv=("sh", "-c", text, text, "6")),
        Command(argv=("sleep", "0.3"), joined_by=";"),
    )
    pids = [int(pid) for pid in ran.stdout.split()]
    assert len(pids) > 2
    assert ran.result.leftovers >= len(pids) // 2
    assert not any(is_alive(pid) for pid in pids)


def test_a_fork_bomb_is_defused(bench: Bench) -> None:
    code = (
        "import os, sys\nos.setsid() if os.fork() == 0 else os._exit(0)\n"
        "for _ in range(200):\n os.fork() and os._exit(0)"
    )
    ran = bench.shell(f'"{PYTHON}" -c "{code}" & sleep 0.2')
    assert ran.result.succeeded
    assert ran.result.survivors == 0


def test_processes_of_others_are_left_alone(bench: Bench) -> None:
    with (
        subprocess.Popen(["sleep", "1000"]) as ours,
        subprocess.Popen(["sleep", "1000"], start_new_session=True) as apart,
    ):
        bench.run(Command(argv=(PYTHON, "-c", DAEMON)))
        bench.shell("sleep 1000", Limits(0.1))
        bench.supervisor.close()
        alive = [is_alive(process.pid) for process in (ours, apart)]
        ours.kill()
        apart.kill()
    assert alive == [True, True]


def test_a_killed_server_is_told_and_replaced(bench: Bench) -> None:
    if has_scopes():
        assert bench.shell("kill -KILL $PPID").result.exit_code == 1, "a program cannot do it"
    (server,) = children(bench.supervisor._ready_client()._pid)
    killer = threading.Timer(0.3, os.kill, (server, signal.SIGKILL))
    killer.start()
    ran = bench.shell("echo before; sleep 1000")
    killer.join()
    assert ran.result.ended_by == "supervisor_lost"
    assert not ran.result.succeeded
    assert bench.shell("echo after").stdout == b"after\n"


def test_one_program_cannot_spoil_the_stream_for_the_next(bench: Bench) -> None:
    code = "import os; os.set_blocking(1, False); os.set_blocking(2, False)"
    ran = bench.run(
        Command(argv=(PYTHON, "-c", code)),
        Command(argv=("head", "-c", "3000000", "/dev/zero"), joined_by="&&"),
    )
    assert ran.result.succeeded
    assert len(ran.stdout) == 3_000_000


def test_a_full_disk_ends_the_command(bench: Bench) -> None:
    place = Launch(str(bench.workspace), bench.environment)
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        with pytest.raises(StorageFailed) as caught:
            bench.supervisor.run(
                shell_line("yes"), place, Limits(60, grace=0.1), stdout=full, stderr=full
            )
    finally:
        os.close(full)
    assert caught.value.hint
    assert bench.shell("echo again").stdout == b"again\n"


def test_lines_run_side_by_side_in_threads(tmp_path: Path) -> None:
    found: dict[int, list[bytes]] = {}

    def work(number: int) -> None:
        with Supervisor() as supervisor:
            own = Bench(supervisor, tmp_path / str(number))
            found[number] = [own.shell(f"echo {number}").stdout for _ in range(5)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: [f"{number}\n".encode()] * 5 for number in range(3)}


def start_parent(bench: Bench, text: str) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a runtime that runs ``text``, and wait for the processes it names in a pipe."""
    os.mkfifo(bench.workspace / "ready")
    parent = subprocess.Popen(
        [PYTHON, "-c", PARENT, str(bench.workspace), text],
        cwd=bench.workspace,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    pids = [int(pid) for pid in (bench.workspace / "ready").read_text().split()]
    (bench.workspace / "pids").write_text(" ".join(map(str, pids)))
    return parent, pids


LONG = "setsid sleep 1000 & a=$!; sleep 1000 & echo $$ $a $! > ready; wait"


def test_an_interrupt_ends_the_children_first(bench: Bench) -> None:
    parent, pids = start_parent(bench, LONG)
    with parent:
        parent.send_signal(signal.SIGINT)
        printed, complaint = parent.communicate(timeout=30)
    assert "KeyboardInterrupt" in complaint
    assert parent.returncode in {-signal.SIGINT, 130}
    assert len(pids) == 3
    assert printed.split() == ["False"] * 3


def test_nothing_outlives_a_runtime_that_was_killed(bench: Bench) -> None:
    parent, pids = start_parent(bench, LONG)
    with parent:
        parent.kill()
    assert len(pids) == 3
    wait_until_gone(pids)


class Notes:
    """Keeps what a listener is told."""

    def __init__(self) -> None:
        self.said: dict[str, bytes] = {"stdout": b"", "stderr": b""}
        self.beats: list[float] = []

    def heard(self, stream: StreamName, data: bytes) -> None:
        self.said[stream] += data

    def beat(self, seconds: float) -> None:
        self.beats.append(seconds)


def test_output_is_heard_as_it_is_kept(bench: Bench) -> None:
    notes = Notes()
    ran = bench.run_line(shell_line("echo out; echo err >&2"), Limits(60), listener=notes)
    assert notes.said == {"stdout": ran.stdout, "stderr": ran.stderr}
    assert notes.beats == []


def test_it_beats_while_a_line_runs(bench: Bench) -> None:
    notes = Notes()
    ran = bench.run_line(shell_line("sleep 0.5"), Limits(60, heartbeat=0.1), listener=notes)
    assert ran.result.succeeded
    assert notes.beats
    assert notes.beats == sorted(notes.beats)


def test_a_line_that_falls_silent_is_ended(bench: Bench) -> None:
    ran = bench.shell("echo begun; sleep 300", Limits(60, quiet=0.3))
    assert ran.result.ended_by == "inactivity"
    assert ran.result.failure_reason == "inactivity"
    assert ran.result.exit_code is None
    assert ran.stdout == b"begun\n"


def test_silence_counts_from_the_first_output(bench: Bench) -> None:
    assert bench.shell("sleep 0.5", Limits(60, quiet=0.1)).result.succeeded


def test_each_output_counts_anew(bench: Bench) -> None:
    text = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.4; done"
    assert bench.shell(text, Limits(60, quiet=2.0)).result.succeeded
