"""The root that processes at L3 see: what they need to run, and nothing of anybody else's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from custody.model.limits import StageLimits
from custody.sandbox import kernel, namespaces, rootfs
from custody.sandbox.confinement import CACHE_VIEW, WORKSPACE_VIEW
from custody.sandbox.landlock import CHANGE, DEVICE, READ
from support.overlay import in_child
from support.programs import needs
from support.sandboxes import CONFINED, Site


@pytest.mark.parametrize("level", CONFINED)
@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("python3 -c 'import ssl, subprocess, multiprocessing; print(40 + 2)'", "42"),
        ("git init -q made && cd made && git add . && git status --branch --short", "## No"),
        ("git init -q . && git add . && git -c user.name=a -c user.email=b commit -qm x", ""),
        ("seq 100 | grep 7 | wc -l", "19"),
        pytest.param("echo 'int main(){return 0;}' > a.c && gcc a.c && ./a.out && echo built",
                     "built", marks=needs("gcc")),
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


@pytest.mark.parametrize("level", CONFINED)
def test_tools_of_the_user_work_where_they_are_installed(site: Site, level: str) -> None:
    tools = [argv for argv in (["node", "--version"], ["pip", "--version"]) if installed(*argv)]
    shims = Path.home() / ".pyenv" / "shims" / "python3"
    tools += [[str(shims), "--version"]] if shims.exists() else []
    for argv in tools:
        ran = site.run(site.confinement(level), *argv)
        assert ran.result.succeeded, (argv, ran)


RUN_MEMORY = (
    "import os; f = os.memfd_create('x', {}); os.write(f, open('/bin/true', 'rb').read());"
    "os.execve(f, ['true'], {{}})"
)
NO_EXEC_SEAL = 8


@pytest.mark.parametrize("level", CONFINED)
def test_a_program_made_in_memory_runs(site: Site, level: str) -> None:
    script = RUN_MEMORY.format(0)
    assert site.run(site.confinement(level), sys.executable, "-c", script).result.succeeded


def test_without_layers_the_folder_itself_is_the_workspace(site: Site) -> None:
    ran = site.run(site.confinement("L3", layered=False), "sh", "-c", "pwd; echo new > new.txt")
    assert ran.stdout == "/ws\n"
    assert (site.workspace / "new.txt").read_text() == "new\n"


def test_the_next_line_finds_a_fresh_sandbox(site: Site) -> None:
    site.environment["PATH"] = "/usr/bin:/bin"  # the tests' own programs may lie below /tmp
    site.run(site.confinement("L3"), "sh", "-c", "touch /tmp/one /home/two /dev/shm/three")
    ran = site.run(site.confinement("L3"), "ls", "/tmp", "/home", "/dev/shm")
    assert ran.stdout.split() == ["/dev/shm:", "/home:", "/tmp:"]


def installed(*argv: str) -> bool:
    """Whether a program works here at all."""
    try:
        return subprocess.run(argv, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def test_what_is_there_is_what_was_laid_out(site: Site) -> None:
    told = "cat /etc/passwd /etc/hosts; echo --; ls /; echo --; ls /dev"
    written, root, dev = site.run(site.confinement("L3"), "sh", "-c", told).stdout.split("--\n")
    assert written == rootfs.WRITTEN["etc/passwd"] + rootfs.LOCAL_NAMES["etc/hosts"]
    assert set(root.split()) - set(rootfs.SYSTEM) <= {
        "cache", "dev", "etc", "home", "proc", "tmp", "var", "ws", *folders_above(site),
    }  # fmt: skip
    assert set(dev.split()) == {*rootfs.DEVICES, "fd", "shm", "stderr", "stdin", "stdout"}


def folders_above(site: Site) -> set[str]:
    """Return where the toolchains that are shown begin."""
    return {path.split("/")[1] for path in site.confinement("L3").readable}


def test_the_rules_say_what_the_mounts_say(site: Site) -> None:
    confinement = msgspec.structs.replace(site.confinement("L3"), writable=("/srv",))
    rules = {rule.path: rule.rights for rule in rootfs.rules(confinement)}
    assert rules["/"] == READ
    assert {path for path, rights in rules.items() if rights == CHANGE} == {
        WORKSPACE_VIEW, CACHE_VIEW, "/srv", *rootfs.SCRATCH_FOLDERS,
    } - missing(WORKSPACE_VIEW)  # fmt: skip
    assert rules["/dev/null"] == DEVICE
    without = msgspec.structs.replace(confinement, cache="")
    assert CACHE_VIEW not in {rule.path for rule in rootfs.rules(without)}


def missing(path: str) -> set[str]:
    """Return a folder that is only there inside: what is not there cannot be changed."""
    return set() if os.path.isdir(path) else {path}


def test_what_was_laid_out_is_compared_with_what_is_there(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies below the current folder stands for what was laid out."""
    base = msgspec.structs.replace(site.confinement("L3"), readable=(f"{site.home}/tool",)).base
    monkeypatch.chdir("/")
    assert rootfs.is_current(base)
    (site.home / "tool").mkdir()
    assert rootfs.is_current(base)
    monkeypatch.chdir(site.home)
    assert not rootfs.is_current(base)


def test_what_lies_below_something_shown_is_not_shown_twice(site: Site) -> None:
    inner = site.home / "tools" / "bin"
    inner.mkdir(parents=True)
    (inner / "text").write_text("once")
    readable = (str(inner), str(inner.parent), f"{inner.parent}-not")
    (site.home / "tools-not").mkdir()
    confinement = msgspec.structs.replace(site.confinement("L3"), readable=readable)
    shown = [path for path in rootfs.readable(confinement) if path.startswith(str(site.home))]
    assert shown == [str(inner.parent), f"{inner.parent}-not"]
    assert site.run(confinement, "cat", f"{inner}/text").stdout == "once"


TELL_FLAGS = "import os, sys; print(*(os.statvfs(path).f_flag & 0b1111 for path in sys.argv[1:]))"
READ_ONLY, NO_SETUID, NO_DEVICES, NO_EXEC = 1, 2, 4, 8


@pytest.mark.req("G-03", "G-05")
@pytest.mark.parametrize("layered", [True, False])
def test_no_mount_lets_more_be_done_than_it_is_for(site: Site, layered: bool) -> None:
    """The list of mounts is empty inside; the kernel tells the flags of each all the same."""
    own = site.home / "own"
    own.mkdir()
    confinement = msgspec.structs.replace(
        site.confinement("L3", layered=layered), writable=(str(own),)
    )
    ours, shown = NO_SETUID | NO_DEVICES, READ_ONLY | NO_SETUID | NO_DEVICES
    flags = {
        "/": ours,
        **dict.fromkeys(rootfs.SCRATCH_FOLDERS, ours),
        WORKSPACE_VIEW: ours,
        CACHE_VIEW: ours,
        str(own): ours,
        "/usr": shown,
        "/etc/ssl/certs": shown,
        "/proc": shown | NO_EXEC,
        **{f"/dev/{name}": READ_ONLY | NO_SETUID for name in rootfs.DEVICES},
    }
    ran = site.run(confinement, sys.executable, "-c", TELL_FLAGS, *flags)
    assert dict(zip(flags, map(int, ran.stdout.split()), strict=True)) == flags, ran


@pytest.mark.req("G-03")
def test_where_it_is_sealed_nothing_runs_that_can_be_changed(site: Site) -> None:
    own = site.home / "own"
    own.mkdir()
    sealed = msgspec.structs.replace(
        site.confinement("L3", layered=False), writable=(str(own),), sealed=True
    )
    changed = [*rootfs.SCRATCH_FOLDERS, WORKSPACE_VIEW, CACHE_VIEW, str(own)]
    ran = site.run(sealed, sys.executable, "-c", TELL_FLAGS, *changed)
    assert ran.stdout.split() == [str(NO_SETUID | NO_DEVICES | NO_EXEC)] * len(changed), ran
    copied = f"cp /bin/true {own}/mine && {own}/mine"
    assert "ermission denied" in site.run(sealed, "sh", "-c", copied).stderr
    assert "not permitted" in site.run(sealed, sys.executable, "-c", RUN_MEMORY.format(0)).stderr


def test_where_it_is_sealed_memory_files_can_be_had_that_nobody_runs(site: Site) -> None:
    sealed = msgspec.structs.replace(site.confinement("L3", layered=False), sealed=True)
    ran = site.run(sealed, sys.executable, "-c", RUN_MEMORY.format(NO_EXEC_SEAL))
    if "Invalid argument" not in ran.stderr:  # before Linux 6.3
        assert "ermission denied" in ran.stderr


@pytest.mark.req("G-03")
def test_a_layered_cache_lets_nothing_more_be_done_either(site: Site) -> None:
    confinement = msgspec.structs.replace(site.confinement("L3"), cache_layers=site.layers())
    ran = site.run(confinement, sys.executable, "-c", TELL_FLAGS, CACHE_VIEW)
    assert ran.stdout.split() == [str(NO_SETUID | NO_DEVICES)], ran


@pytest.mark.req("G-09")
def test_what_lies_in_memory_is_bounded_by_the_kernel(site: Site) -> None:
    """A little above the limits, so that whoever looks sees that they were exceeded."""
    small = msgspec.structs.replace(
        site.confinement("L3"), limits=StageLimits(memory=64 << 20, files=1000)
    )
    tell = "import os; t = os.statvfs('/tmp'); print(t.f_blocks * t.f_frsize, t.f_files)"
    size, files = map(int, site.run(small, sys.executable, "-c", tell).stdout.split())
    assert 64 << 20 < size <= 66 << 20
    assert 1000 < files <= 10_000


def test_what_is_mounted_below_something_shown_does_not_appear(tmp_path: Path) -> None:
    """Whoever mounts something on the machine later does not show it to a stage by that."""
    for name in ("shown/later", "place"):
        (tmp_path / name).mkdir(parents=True)
    shown, shared = str(tmp_path / "shown"), 1 << 20

    def work() -> tuple[list[str], list[str]]:
        user, group = os.geteuid(), os.getegid()
        kernel.call("unshare", 0x14000000 | namespaces.CLONE_NEW_MOUNTS)
        namespaces.take_identity(user, group)
        kernel.mount(shown, shown, "", 4096)
        kernel.mount("", shown, "", shared)
        os.chdir("/")
        rootfs._put(rootfs._take(shown, str(tmp_path / "place")))
        kernel.mount("later", f"{shown}/later", "tmpfs", 0)
        (tmp_path / "shown/later/secret").touch()
        return os.listdir(f"{shown}/later"), os.listdir(tmp_path / "place/later")

    assert in_child(work) == (["secret"], [])


@pytest.mark.req("G-06")
@pytest.mark.parametrize("name", rootfs.TOLD_OF_THE_MACHINE)
def test_what_the_kernel_tells_root_of_the_machine_is_empty(site: Site, name: str) -> None:
    ran = site.run(site.confinement("L3"), "sh", "-c", f"head -c 8 /proc/{name}")
    assert ran.stdout == ""


def test_what_programs_ask_the_kernel_for_is_there(site: Site) -> None:
    names = "cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "uptime", "version"
    ran = site.run(site.confinement("L3"), "sh", "-c", f"cd /proc; head -qn 1 {' '.join(names)}")
    assert ran.result.succeeded, ran
    assert ran.stdout.count("\n") == len(names)


@pytest.mark.req("G-05")
@pytest.mark.parametrize("name", rootfs.DEVICES)
def test_devices_work_and_stay_as_they_are(site: Site, name: str) -> None:
    """Attacks that nothing confines set times of devices meanwhile, but not at every turn."""
    script = f"""
import errno, os
file = os.open('/dev/{name}', os.O_RDWR)
os.read(file, 1)
try: os.write(file, b'x')
except OSError as error: assert ('{name}', error.errno) == ('full', errno.ENOSPC), error
for change, *values in ((os.fchmod, 0o666), (os.utime,), (os.fchown, -1, -1)):
    try: change(file, *values)
    except OSError as error: assert error.errno == errno.EROFS, error
    else: raise AssertionError(change)
"""
    unchanged: list[bool] = []
    while len(unchanged) < 10 and not any(unchanged):
        before = os.stat(f"/dev/{name}")
        ran = site.run(site.confinement("L3"), sys.executable, "-c", script)
        assert ran.result.succeeded, ran
        unchanged.append(os.stat(f"/dev/{name}") == before)
    assert any(unchanged)


@pytest.mark.req("G-06")
@pytest.mark.parametrize("level", CONFINED)
def test_what_is_seen_of_the_machine_is_a_short_list(site: Site, level: str) -> None:
    confinement = site.confinement(level)
    told = rootfs.readable(confinement)
    assert "/usr" in told
    assert len(told) < 64
    assert all(os.path.exists(path) for path in told)
    assert set(confinement.readable) <= {
        path for path in confinement.readable if any(f"{path}/".startswith(f"{a}/") for a in told)
    }
    assert rootfs.writable(confinement) == []
