"""Work in several processes: everything is done once, whatever becomes of them."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from custody.store.workers import FEW, MOST, PIECES, at_work, piece_size, processes
from support.alone import run_alone, start_alone
from support.processes import is_alive, wait_until_gone

WORK = """
import json, os, signal, sys, time
from custody.store.workers import at_work, processes

class Work:
    count = 40
    def __init__(self):
        self.parent = os.getpid()
        self.undone = []
    def do(self, number):
        return b"%d %d" % (number, os.getpid())
    def undo(self, number):
        self.undone.append(number)

def told(results):
    return [int(answer.split()[0]) for answer in results]

def pids(results):
    return {int(answer.split()[1]) for answer in results}
"""


class Plain:
    """Writes down what is asked of it."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.undone: list[int] = []

    def do(self, number: int) -> bytes:
        return b"%d" % number

    def undo(self, number: int) -> None:
        self.undone.append(number)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_one_process_is_this_one(count: int) -> None:
    work = Plain(count)
    with at_work(work, 1) as workers:
        assert workers.results() == [b"%d" % number for number in range(count)]
    assert work.undone == []


def test_answers_come_in_order_from_other_processes() -> None:
    code = """
work = Work()
with at_work(work, 2) as workers:
    results = workers.results()
print(json.dumps([told(results), os.getpid() in pids(results), work.undone]))
"""
    order, was_parent, undone = run_alone(WORK + code)
    assert order == list(range(40))
    assert not was_parent
    assert undone == []


def test_more_processes_than_pieces() -> None:
    code = """
Work.count = 1
with at_work(Work(), 4) as workers:
    print(json.dumps([len(workers._answers), told(workers.results())]))
"""
    assert run_alone(WORK + code) == [1, [0]]


def test_what_fails_in_a_process_is_done_again_here() -> None:
    code = """
class Fails(Work):
    def do(self, number):
        if number == 7 and os.getpid() != self.parent:
            raise OSError("only there")
        return super().do(number)
work = Fails()
with at_work(work, 2) as workers:
    results = workers.results()
print(json.dumps([told(results), 7 in work.undone]))
"""
    order, undone = run_alone(WORK + code)
    assert order == list(range(40))
    assert undone


def test_what_fails_here_too_is_raised_and_no_process_stays() -> None:
    code = """
from custody.errors import StorageFailed
class Fails(Work):
    def do(self, number):
        if number == 7:
            raise StorageFailed("no space left on device", where="x")
        return super().do(number)
try:
    with at_work(Fails(), 2) as workers:
        workers.results()
except StorageFailed as error:
    print(json.dumps(str(error)))
try:
    os.waitpid(-1, 0)
except ChildProcessError:
    pass
"""
    assert run_alone(WORK + code) == "x: no space left on device"


@pytest.mark.parametrize("moment", ["do", "answer"])
def test_a_process_that_is_killed_is_replaced(moment: str) -> None:
    code = """
class Dies(Work):
    def do(self, number):
        if number == 7 and os.getpid() != self.parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().do(number)
if sys.argv[1] == "answer":
    import custody.store.workers as module
    Dies.do = Work.do
    module.msgspec.msgpack.encode = lambda value: b"\\x94" * 9  # half an answer
work = Dies()
with at_work(work, 2) as workers:
    results = workers.results()
print(json.dumps([told(results), sorted(work.undone)]))
"""
    order, undone = run_alone(WORK + code, moment)
    assert order == list(range(40))
    assert undone


def test_leaving_early_ends_the_processes() -> None:
    code = """
class Slow(Work):
    def do(self, number):
        time.sleep(100)
try:
    with at_work(Slow(), 2) as workers:
        left = list(workers._answers)
        raise KeyError
except KeyError:
    print(json.dumps([os.path.exists(f"/proc/{pid}") for pid in left]))
"""
    assert run_alone(WORK + code) == [False, False]


def test_they_die_with_their_parent() -> None:
    code = """
class Slow(Work):
    def do(self, number):
        time.sleep(100)
with at_work(Slow(), 2) as workers:
    print(*workers._answers, flush=True)
    workers.results()
"""
    process = start_alone(WORK + code)
    assert process.stdout is not None
    started = [int(pid) for pid in process.stdout.readline().split()]
    assert all(map(is_alive, started))
    process.kill()
    process.communicate()
    wait_until_gone(started)


def test_a_signal_to_the_group_leaves_them_at_work() -> None:
    code = """
class Slow(Work):
    count = 4
    def do(self, number):
        time.sleep(0.2)
        return super().do(number)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: None)
work = Slow()
with at_work(work, 2) as workers:
    for pid in workers._answers:
        time.sleep(0.1)
        os.kill(pid, signal.SIGINT)
        os.kill(pid, signal.SIGTERM)
    results = workers.results()
print(json.dumps([told(results), work.undone]))
"""
    assert run_alone(WORK + code) == [[0, 1, 2, 3], []]


@pytest.mark.parametrize("limit", [4, 5, 6, 7])
def test_no_descriptors_for_another_process(limit: int) -> None:
    code = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
work = Work()
with at_work(work, 2) as workers:
    results = workers.results()
print(json.dumps(told(results)))
"""
    assert run_alone(WORK + code, limit) == list(range(40))


def test_few_files_are_not_worth_a_process() -> None:
    code = "import json; from custody.store.workers import *\nprint(json.dumps(processes({})))"
    assert run_alone(code.format(FEW)) == 1
    assert run_alone(code.format(FEW + 1)) == min(MOST, len(os.sched_getaffinity(0)))


def test_nobody_forks_beside_another_thread() -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        assert processes(FEW + 1) == 1
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("files", [1, 1000, 10**6, 10**8])
def test_all_numbers_of_pieces_fit_into_the_pipe(files: int) -> None:
    assert -(-files // piece_size(files)) <= PIECES


def test_signals_are_as_before() -> None:
    code = """
before = signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, ())
with at_work(Work(), 2) as workers:
    workers.results()
after = signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, ())
print(json.dumps(before == after))
"""
    assert run_alone(WORK + code) is True
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
