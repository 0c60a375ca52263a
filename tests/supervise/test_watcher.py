"""A watcher keeps a program while somebody needs it, confined as the programs of a stage are."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from custody.errors import PathRefused
from custody.executors.sessions.generation import Generation
from custody.executors.sessions.launch import Launched
from custody.executors.sessions.lease import Leases
from custody.model.confinement import Level
from custody.model.limits import StageLimits
from custody.model.relpath import RelPath
from custody.model.session import Ended, SessionKind, SessionOrder
from custody.store.root import Root
from custody.supervise.descendants import children
from custody.supervise.watcher import Watcher
from support.agent_run import wait_for
from support.processes import is_alive
from support.remains import Remains

LEVELS: tuple[Level, ...] = ("L1", "L2", "L3")
STAYS = ("sh", "-c", "echo > state/ready; exec sleep 600")
MULTIPLIES = """
import threading, time
threading.stack_size(1 << 16)
try:
    for _ in range(2100):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
except RuntimeError:
    pass  # the kernel has refused one
time.sleep(600)
"""
LOOKS = """
for path in queue/new {run}/events.jsonl {run}/workspace/secret; do
    (echo changed > $path) 2> /dev/null && echo "wrote $path"
    cat $path > /dev/null 2>&1 && echo "read $path"
done
cat queue/given ack/x 2> /dev/null
echo mine > ack/mine && echo mine > work/mine && echo "wrote its own"
env | grep -E '^(CUSTODY|HIDDEN|SHOWN|SET|HOME)' | sort
echo "$TMPDIR" | sed 's|.*/||'
echo > state/ready
exec sleep 600
"""


@pytest.fixture
def remains(tmp_path: Path) -> Iterator[Remains]:
    """Return what sees everything that the test has started, and must be left with nothing."""
    with Remains() as remains:
        yield remains
        assert remains.trouble(tmp_path) == ""


class Watched:
    """One generation of a session, its watcher started and its lease held."""

    def __init__(
        self, home: Path, token: int = 1, level: Level = "L1", source: str = "", **fields: Any
    ) -> None:
        quick = {"name": "s", "argv": STAYS, "beat": 0.05, "lease": 60.0, "grace": 1.0, **fields}
        kind = SessionKind(**quick)
        self.root = Root.open(str(home))
        weakref.finalize(self, self.root.close)
        self.generation = Generation.create(
            self.root, SessionOrder(token=token, level=level, kind=kind, source=source)
        )
        self.folder = home / self.generation.path
        self.leases = Leases()
        self.leases.hold(self.generation, 60.0)
        self.launched = Launched.start(kind, self.root.path, self.generation)

    def ready(self) -> int:
        """Wait until the program is; return its process."""
        wait_for(self.generation.ready)
        wait_for(lambda: (beat := self.generation.beat()) is not None and beat.program > 0)
        beat = self.generation.beat()
        assert beat is not None
        return beat.program

    def ended(self) -> Ended:
        """Wait for the end; return what is said of it."""
        wait_for(lambda: self.generation.ended() is not None)
        self.launched.end(10)
        self.leases.close()
        ended = self.generation.ended()
        assert ended is not None
        return ended


class Overtaken(Root):
    """A session whose watcher was stopped while it wrote, until another had taken its place."""

    def write(self, path: RelPath | str, data: bytes | Iterable[bytes], **options: Any) -> None:
        """Find that what was half written is gone."""
        del data, options
        self.make_dirs("10")
        raise PathRefused("missing", "it is gone", where=str(path))


@pytest.mark.usefixtures("remains")
class TestEnding:
    def test_it_is_told_to_close(self, tmp_path: Path) -> None:
        watched = Watched(tmp_path)
        program = watched.ready()
        watched.generation.ask_to_close()
        assert watched.ended().reason == "closed"
        assert not is_alive(program)

    def test_a_program_that_will_not_end_is_killed(self, tmp_path: Path) -> None:
        stubborn = ("sh", "-c", "trap '' TERM; echo > state/ready; while :; do sleep 0.1; done")
        watched = Watched(tmp_path, argv=stubborn, grace=0.2)
        program = watched.ready()
        watched.generation.ask_to_close()
        assert watched.ended().reason == "closed"
        assert not is_alive(program)

    def test_its_lease_is_not_renewed(self, tmp_path: Path) -> None:
        watched = Watched(tmp_path, lease=0.5)
        watched.leases.let_go(watched.generation)
        ended = watched.ended()
        assert ended.reason == "lease_expired"
        assert ended.seconds >= 0.5

    def test_a_lease_that_is_renewed_lasts(self, tmp_path: Path) -> None:
        watched = Watched(tmp_path, lease=3.0, beat=0.15)
        program = watched.ready()
        for _ in range(30):
            watched.generation.renew()
            beat = watched.generation.beat()
            wait_for(lambda beat=beat: watched.generation.beat() != beat)  # type: ignore[misc]
        assert is_alive(program)
        watched.generation.ask_to_close()
        assert watched.ended().reason == "closed"

    def test_a_newer_token_was_taken(self, tmp_path: Path) -> None:
        watched = Watched(tmp_path, token=9)
        watched.ready()
        watched.root.make_dirs("session/s/8")
        beat = watched.generation.beat()
        wait_for(lambda: watched.generation.beat() != beat)
        watched.root.make_dirs("session/s/10")
        assert watched.ended().reason == "fenced"

    def test_a_newer_one_tidied_up_in_the_middle_of_a_beat(self, tmp_path: Path) -> None:
        with Root.open(str(tmp_path)) as root:
            kind = SessionKind(name="s", argv=STAYS)
            Generation.create(root, SessionOrder(token=9, level="L1", kind=kind))
        with Overtaken.open(str(tmp_path / "session/s")) as session:
            watcher = Watcher(session, 9)
            with pytest.raises(Exception, match=r"^fenced$"):
                watcher.beat(0.0)

    def test_one_that_comes_too_late_starts_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "session/s/2").mkdir(parents=True)
        watched = Watched(tmp_path, argv=("touch", "work/started"))
        assert watched.ended().reason == "fenced"
        assert watched.generation.beat() is None
        assert not (watched.folder / "box/work/started").exists()

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
    def test_it_is_told_by_a_signal(self, tmp_path: Path, number: signal.Signals) -> None:
        watched = Watched(tmp_path)
        watched.ready()
        beat = watched.generation.beat()
        assert beat is not None
        os.kill(beat.watcher, number)
        assert watched.ended().reason == "terminated"

    def test_the_program_ends(self, tmp_path: Path) -> None:
        ended = Watched(tmp_path, argv=("sh", "-c", "exit 7")).ended()
        assert (ended.reason, ended.exit_code, ended.signal) == ("exited", 7, 0)

    def test_the_program_cannot_be_started(self, tmp_path: Path) -> None:
        ended = Watched(tmp_path, argv=("no-such-program",)).ended()
        assert (ended.reason, ended.failure) == ("not_started", "tool_not_found: no-such-program")

    @pytest.mark.req("G-09")
    @pytest.mark.parametrize("level", LEVELS)
    def test_the_program_takes_too_much(self, tmp_path: Path, level: Level) -> None:
        ended = Watched(tmp_path, level=level, argv=("python3", "-c", MULTIPLIES)).ended()
        assert (ended.reason, ended.failure) == ("limit_exceeded", "processes (2048)")

    @pytest.mark.parametrize("level", LEVELS)
    def test_the_server_is_killed(self, tmp_path: Path, level: Level) -> None:
        watched = Watched(tmp_path, level=level)
        program = watched.ready()
        beat = watched.generation.beat()
        assert beat is not None
        (reaper,) = children(beat.watcher)
        (server,) = children(reaper)
        os.kill(server, signal.SIGKILL)
        assert watched.ended().reason == "supervisor_lost"
        assert not is_alive(program)

    def test_the_run_directory_is_removed(self, tmp_path: Path) -> None:
        watched = Watched(tmp_path)
        program = watched.ready()
        shutil.rmtree(tmp_path / "session", ignore_errors=True)
        shutil.rmtree(tmp_path / "session", ignore_errors=True)
        wait_for(lambda: not is_alive(program))
        watched.launched.end(10)
        watched.leases.close()


@pytest.mark.usefixtures("remains")
class TestSeeing:
    def test_a_stopped_program_is_told_from_one_at_work(self, tmp_path: Path) -> None:
        watched = Watched(tmp_path, argv=("sh", "-c", "echo > state/ready; while :; do :; done"))
        program = watched.ready()
        wait_for(lambda: (beat := watched.generation.beat()) is not None and beat.cpu > 0.1)
        os.kill(program, signal.SIGSTOP)
        wait_for(lambda: (beat := watched.generation.beat()) is not None and beat.process == "T")
        stopped = watched.generation.beat()
        wait_for(lambda: watched.generation.beat() != stopped)
        watched.generation.ask_to_close()
        assert watched.ended().reason == "closed"

    @pytest.mark.req("S-08")
    def test_what_the_program_has_started_is_counted(self, tmp_path: Path) -> None:
        below = "echo > state/ready; sh -c 'while :; do :; done'; :"
        watched = Watched(tmp_path, argv=("sh", "-c", below))
        watched.ready()
        wait_for(lambda: (beat := watched.generation.beat()) is not None and beat.cpu > 0.1)
        beat = watched.generation.beat()
        assert beat is not None
        assert (beat.process, beat.host) == ("S", os.uname().nodename)
        watched.generation.ask_to_close()
        watched.ended()

    @pytest.mark.req("S-08")
    @pytest.mark.parametrize("level", LEVELS)
    def test_the_programs_own_heartbeat_is_seen(self, tmp_path: Path, level: Level) -> None:
        beats = "echo > state/ready; while :; do touch state/heartbeat; sleep 0.05; done"
        watched = Watched(tmp_path, level=level, argv=("sh", "-c", beats))
        watched.ready()
        seen: set[int] = set()

        def three() -> bool:
            beat = watched.generation.beat()
            seen.update(filter(None, [beat.heartbeat if beat else 0]))
            return len(seen) > 2

        wait_for(three)
        watched.generation.ask_to_close()
        assert watched.ended().reason == "closed"

    @pytest.mark.parametrize("odd", ["mkdir", "mkfifo", "ln -s /etc/passwd"])
    def test_a_heartbeat_may_be_anything(self, tmp_path: Path, odd: str) -> None:
        argv = ("sh", "-c", f"{odd} state/heartbeat; rm -r state/ready; {STAYS[2]}")
        watched = Watched(tmp_path, argv=argv)
        watched.ready()
        wait_for(lambda: (beat := watched.generation.beat()) is not None and beat.heartbeat > 0)
        watched.generation.ask_to_close()
        assert watched.ended().reason == "closed"

    @pytest.mark.parametrize("level", LEVELS)
    def test_the_program_sees_its_box_and_nothing_else_of_the_run(
        self, tmp_path: Path, level: Level, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HIDDEN", "1")
        monkeypatch.setenv("SHOWN", "2")
        (tmp_path / "events.jsonl").write_text("journal\n")
        (tmp_path / "workspace").mkdir()
        (tmp_path / "workspace/secret").write_text("secret\n")
        box = tmp_path / "session/s/1/box"
        (box / "queue").mkdir(parents=True)
        (box / "queue/given").write_text("given\n")
        script = LOOKS.format(run=tmp_path)
        watched = Watched(
            tmp_path, level=level, argv=("sh", "-c", script), passed=("SHOWN",),
            variables={"SET": "3"},
        )  # fmt: skip
        watched.ready()
        watched.generation.ask_to_close()
        watched.ended()
        said = (watched.folder / "stdout.log").read_text().splitlines()
        for line in ("given", "wrote its own", "SET=3", "SHOWN=2", "CUSTODY_SESSION=s",
                     "CUSTODY_SESSION_TOKEN=1", "tmp"):  # fmt: skip
            assert line in said
        assert "HIDDEN=1" not in said
        here = "/ws" if level == "L3" else box
        assert f"CUSTODY_SESSION_DIR={here}" in said
        assert f"CUSTODY_SESSION_WAKE={here}/wake" in said
        reached = [line for line in said if line.startswith(("wrote ", "read "))]
        assert (reached == ["wrote its own"]) == (level != "L1")

    @pytest.mark.req("G-06")
    @pytest.mark.parametrize("level", ["L2", "L3"])
    def test_links_on_path_show_it_neither_runs_nor_the_source(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: Level
    ) -> None:
        for folder in ("runs/one", "runs/other", "source", "tools"):
            (tmp_path / folder).mkdir(parents=True)
            (tmp_path / folder / "file").write_text("seen\n")
        for name in ("runs", "source", "tools"):
            (tmp_path / f"link-{name}").symlink_to(tmp_path / name)
            monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{tmp_path}/link-{name}")
        looks = "cat {0}/source/file {0}/tools/file {0}/runs/other/file; echo > state/ready"
        watched = Watched(
            tmp_path / "runs/one", level=level, argv=("sh", "-c", looks.format(tmp_path)),
            source=str(tmp_path / "source"),
        )  # fmt: skip
        watched.ended()
        assert (watched.folder / "stdout.log").read_text() == "seen\n"

    @pytest.mark.parametrize("level", LEVELS)
    def test_it_begins_where_it_is_told(self, tmp_path: Path, level: Level) -> None:
        begins = ("sh", "-c", "pwd; echo > ../state/ready; exec sleep 600")
        watched = Watched(tmp_path, level=level, argv=begins, folder="work")
        watched.ready()
        watched.generation.ask_to_close()
        watched.ended()
        here = "/ws" if level == "L3" else str(watched.folder / "box")
        assert (watched.folder / "stdout.log").read_text() == f"{here}/work\n"

    def test_it_takes_no_more_than_it_may(self, tmp_path: Path) -> None:
        takes = (sys.executable, "-S", "-c", "import time; x = b'x' * (200 << 20); time.sleep(60)")
        small = StageLimits(memory=100 << 20)
        ended = Watched(tmp_path, level="L3", argv=takes, limits=small).ended()
        assert (ended.reason, ended.failure) == ("limit_exceeded", "memory (100M)")

    def test_what_it_has_written_does_not_run_where_it_is_sealed(self, tmp_path: Path) -> None:
        script = "cp /bin/true work/mine; work/mine; echo $?; echo > state/ready; exec sleep 600"
        watched = Watched(tmp_path, level="L3", argv=("sh", "-c", script), sealed=True)
        watched.ready()
        watched.generation.ask_to_close()
        watched.ended()
        assert (watched.folder / "stdout.log").read_text() == "126\n"

    def test_no_secret_is_kept_of_what_it_prints(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MY_TOKEN", "hunter2hunter2")
        watched = Watched(
            tmp_path, argv=("sh", "-c", "echo it is $MY_TOKEN; echo > state/ready"),
            passed=("MY_TOKEN",),
        )  # fmt: skip
        watched.ended()
        said = (watched.folder / "stdout.log").read_text()
        assert said.startswith("it is ")
        assert "hunter2" not in said
        assert "hunter2" not in (watched.folder / "order.json").read_text()
