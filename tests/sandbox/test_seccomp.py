"""The filter, read as the kernel reads it, for both machines."""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct

import pytest

from custody.model.confinement import Level, Network
from custody.sandbox import kernel
from custody.sandbox.confinement import Confinement, ProxyListener
from custody.sandbox.seccomp import (
    ATTRIBUTES,
    DENIED,
    FLAGS_OF_FILES,
    NAMESPACE_FLAGS,
    ON_ITSELF,
    SENDING,
    SHARED_MEMORY,
    program,
    restrict,
)
from support.filters import ASKING, asker, ended, judge

ALLOW = 0x7FFF0000
KILL = 0x80000000
EPERM = 0x00050000 | errno.EPERM
ENOSYS = 0x00050000 | errno.ENOSYS
ENOTSUP = 0x00050000 | errno.ENOTSUP
MACHINES = tuple(kernel.NUMBERS)
NONE = Confinement(level="L3", workspace="/ws")
L2 = Confinement(level="L2", workspace="/ws")


def verdict(machine: str, name: str, *arguments: int, confinement: Confinement = NONE) -> int:
    number = kernel.NUMBERS[machine][name]
    code = program(confinement, machine)
    return judge(code, kernel.AUDIT_ARCHITECTURES[machine], number, *arguments)


@pytest.mark.req("G-05")
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("confinement", [NONE, L2])
def test_nobody_leases_or_watches_files_that_are_shown(
    machine: str, confinement: Confinement
) -> None:
    for command in (1024, 1026, 1036, 1040):
        assert verdict(machine, "fcntl", 3, command, confinement=confinement) == EPERM
    for command in (0, 1, 2, 3, 4, 6, 38, 1025, 1030, 1031, 1033):
        assert verdict(machine, "fcntl", 3, command, confinement=confinement) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_denied_calls_are_denied(machine: str) -> None:
    known = [name for name in DENIED if name in kernel.NUMBERS[machine]]
    assert len(known) > 40
    assert {verdict(machine, name, 1, 2, 3) for name in known} == {EPERM}


@pytest.mark.parametrize(
    "name",
    [
        *("ptrace", "process_vm_readv", "pidfd_getfd", "kcmp"),
        *("mount", "umount2", "pivot_root", "chroot", "setns", "open_tree", "fsopen", "fspick"),
        *("name_to_handle_at", "open_by_handle_at", "quotactl", "swapon"),
        *("io_uring_setup", "bpf", "perf_event_open", "userfaultfd", "add_key", "keyctl"),
        *("kexec_load", "init_module", "finit_module", "reboot", "settimeofday", "sethostname"),
    ],
)
def test_the_filter_alone_denies_what_others_deny_as_well(name: str) -> None:
    """Most of these need a right that a stage has lost; a right that came back opens none."""
    for confinement in (NONE, L2):
        verdicts = {
            verdict(machine, name, 1, 2, 3, confinement=confinement) for machine in MACHINES
        }
        assert verdicts == {EPERM}


def test_every_denied_call_exists_on_some_machine() -> None:
    assert set(DENIED) <= set().union(*kernel.NUMBERS.values())


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_unambiguous(machine: str) -> None:
    numbers = kernel.NUMBERS[machine]
    assert len(set(numbers.values())) == len(numbers)


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_that_depend_on_what_they_are_given(machine: str) -> None:
    def of(name: str, *arguments: int) -> int:
        return verdict(machine, name, *arguments)

    assert of("clone3") == ENOSYS
    assert of("clone", 0x01200011) == ALLOW
    assert of("unshare", 0x400) == ALLOW
    for bit in range(32):
        if NAMESPACE_FLAGS & 1 << bit:
            assert of("clone", 1 << bit | 17) == of("unshare", 1 << bit) == EPERM
    assert of("ioctl", 0, 0x5401) == ALLOW
    assert of("ioctl", 0, 0x5412) == of("ioctl", 0, 0x541C) == EPERM
    assert of("ioctl", 0, 0x5412 | 1 << 40) == EPERM
    assert of("personality", 0) == of("personality", 0xFFFFFFFF) == ALLOW
    assert of("personality", 0x40000) == EPERM
    for kind, expected in ((stat.S_IFCHR, EPERM), (stat.S_IFBLK, EPERM), (stat.S_IFIFO, ALLOW)):
        assert of("mknodat", 0, 0, kind | 0o666) == expected
    assert of("landlock_create_ruleset") == ALLOW
    assert of("socketpair", socket.AF_UNIX) == ALLOW
    assert {of("socketpair", family) for family in (socket.AF_INET, 30, 38)} == {EPERM}
    assert of("renameat2", 0, 0, 0, 0, 1) == of("renameat2", 0, 0, 0, 0, 2) == ALLOW
    assert of("renameat2", 0, 0, 0, 0, 4) == of("renameat2", 0, 0, 0, 0, 5) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_no_file_is_given_the_rights_of_its_owner(machine: str) -> None:
    def of(name: str, *arguments: int) -> int:
        return verdict(machine, name, *arguments)

    assert of("openat2") == ENOSYS
    assert of("openat", 0, 0, os.O_RDONLY, 0o4755) == ALLOW, "nothing is made"
    assert of("openat", 0, 0, os.O_CREAT | os.O_WRONLY, 0o755) == ALLOW
    for special in (0o4755, 0o2755, 0o6755):
        assert of("openat", 0, 0, os.O_CREAT | os.O_WRONLY, special) == EPERM
        assert of("openat", 0, 0, os.O_TMPFILE | os.O_WRONLY, special) == EPERM
        assert of("mknodat", 0, 0, stat.S_IFREG | special) == EPERM
    for name, before in (("fchmod", 1), ("fchmodat", 2), ("fchmodat2", 2)):
        zeros = [0] * before
        assert of(name, *zeros, 0o4755) == of(name, *zeros, 0o6755) == EPERM
        assert (
            of(name, *zeros, 0o755) == of(name, *zeros, 0o2775) == of(name, *zeros, 0o1777) == ALLOW
        )


def test_the_older_calls_that_make_files_are_judged_too() -> None:
    making = os.O_CREAT | os.O_WRONLY
    assert verdict("x86_64", "open", 0, making, 0o4755) == EPERM
    assert verdict("x86_64", "open", 0, making, 0o644) == ALLOW
    assert verdict("x86_64", "open", 0, os.O_RDONLY, 0o4755) == ALLOW
    assert verdict("x86_64", "creat", 0, 0o4755) == EPERM
    assert verdict("x86_64", "chmod", 0, 0o4755) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_shared_memory_is_denied_where_there_is_no_namespace_for_it(machine: str) -> None:
    for name in SHARED_MEMORY:
        assert verdict(machine, name) == ALLOW
        assert verdict(machine, name, confinement=L2) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_every_other_call_is_allowed(machine: str) -> None:
    code = program(NONE, machine)
    judged = set(kernel.NUMBERS[machine].values())
    others = {
        judge(code, kernel.AUDIT_ARCHITECTURES[machine], number)
        for number in range(600)
        if number not in judged
    }
    assert others == {ALLOW}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("level", ["L2", "L3"])
def test_the_kernel_would_accept_the_filter(machine: str, level: Level) -> None:
    for network in ("none", "loopback", "host"):
        confinement = Confinement(level=level, workspace="/ws", network=network)
        lines = list(struct.iter_unpack("<HBBI", program(confinement, machine)))
        assert len(lines) <= 4096
        assert lines[-1][0] == 0x06
        for at, (kind, yes, no, _) in enumerate(lines):
            reached = at + 1 + max(yes, no) if kind & 0x07 == 0x05 else at + (kind != 0x06)
            assert reached < len(lines), f"line {at} jumps out of the filter"


def test_the_older_call_that_makes_devices_is_judged_too() -> None:
    assert verdict("x86_64", "mknod", 0, stat.S_IFBLK | 0o666) == EPERM
    assert verdict("x86_64", "mknod", 0, stat.S_IFREG | 0o666) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("level", "network", "allowed"),
    [
        ("L3", "none", {socket.AF_UNIX}),
        ("L2", "none", set()),
        ("L3", "loopback", {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK}),
        ("L2", "host", {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK}),
    ],
)
def test_families_of_sockets(machine: str, level: str, network: Network, allowed: set[int]) -> None:
    confinement = Confinement(
        level="L3" if level == "L3" else "L2", workspace="/ws", network=network
    )
    verdicts = {
        family: verdict(machine, "socket", family, 1, 0, confinement=confinement)
        for family in range(46)
    }
    assert {family for family, said in verdicts.items() if said == ALLOW} == allowed
    assert set(verdicts.values()) <= {ALLOW, EPERM}
    audit = verdict(machine, "socket", socket.AF_NETLINK, 3, 9, confinement=confinement)
    assert audit == EPERM


@pytest.mark.req("G-08")
@pytest.mark.parametrize("machine", MACHINES)
def test_no_pair_leads_to_a_socket_outside(machine: str) -> None:
    """A datagram's socket can be connected to another one whatever it was connected to."""
    host = Confinement(level="L2", workspace="/ws", network="host")
    gated = Confinement(level="L2", workspace="/ws", listeners=GATE)

    def allowed(confinement: Confinement) -> set[int]:
        found = {
            kind: verdict(machine, "socketpair", 1, kind | 0o2000000, confinement=confinement)
            for kind in (1, 2, 3, 5)
        }
        assert set(found.values()) <= {ALLOW, EPERM}
        return {kind for kind, said in found.items() if said == ALLOW}

    assert allowed(L2) == allowed(gated) == {1, 5}
    assert allowed(NONE) == allowed(host) == {1, 2, 3, 5}


ASK = 0x7FC00000
GATE = (ProxyListener(address="127.0.0.1", port=3128),)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("level", "tcp"), [("L3", ALLOW), ("L2", ASK)])
def test_a_gate_needs_tcp_and_nothing_else(machine: str, level: Level, tcp: int) -> None:
    gated = Confinement(level=level, workspace="/ws", listeners=GATE)

    def of(name: str, *arguments: int) -> int:
        return verdict(machine, name, *arguments, confinement=gated)

    for family in range(46):
        for kind in (1, 2, 3, 4, 5, 6, 10):
            for protocol in (0, 1, 6, 17, 132, 136, 262):
                found = of("socket", family, kind | 0o2000000, protocol)
                is_tcp = family in {2, 10} and kind == 1 and protocol in {0, 6}
                is_unix = family == 1 and level == "L3"
                assert found == (tcp if is_tcp else ALLOW if is_unix else EPERM)
    assert of("socket", 2, 1 | 0o4000, 0) == of("socket", 2 | 1 << 32, 1, 0) == tcp
    for name, at in SENDING.items():
        words = [0] * 6
        assert of(name, *words) == ALLOW
        words[at] = 0x20000000 | 0x4000
        assert of(name, *words) == EPERM
    assert of("listen", 3, 1) == (ALLOW if level == "L3" else EPERM)


def test_an_open_network_is_not_narrowed_by_doors() -> None:
    one = Confinement(level="L2", workspace="/ws", network="host", listeners=GATE)
    assert program(one) == program(Confinement(level="L2", workspace="/ws", network="host"))


def test_calls_of_another_machine_end_the_process() -> None:
    code = program(NONE, "x86_64")
    assert judge(code, 0x40000003, 1) == KILL
    assert judge(code, kernel.AUDIT_ARCHITECTURES["x86_64"], 0x40000000 | 41, 2) == ENOSYS


@pytest.mark.req("G-08")
@pytest.mark.parametrize("machine", MACHINES)
def test_on_a_shared_machine_a_process_acts_on_itself_alone(machine: str) -> None:
    def at(confinement: Confinement, name: str, *arguments: int) -> int:
        return verdict(machine, name, *arguments, confinement=confinement)

    for name in ON_ITSELF:
        assert (at(L2, name, 0), at(L2, name, 42), at(NONE, name, 42)) == (ALLOW, EPERM, ALLOW)
    for confinement in (L2, NONE):
        assert at(confinement, "prlimit64", 0, 7) == ALLOW
        assert at(confinement, "prlimit64", 42, 7) == EPERM
    for name, process, group, user in (("setpriority", 0, 1, 2), ("ioprio_set", 1, 2, 3)):
        assert at(L2, name, process, 0, 5) == at(L2, name, group, 0, 5) == ALLOW
        assert at(L2, name, process, 42) == at(L2, name, group, 42) == EPERM
        assert at(L2, name, user, 0) == at(L2, name, user, 42) == EPERM


@pytest.mark.req("G-08")
@pytest.mark.parametrize("machine", MACHINES)
def test_on_a_shared_machine_files_have_no_attributes(machine: str) -> None:
    for name in ATTRIBUTES:
        assert verdict(machine, name, 1, confinement=L2) == ENOTSUP
        assert verdict(machine, name, 1) == ALLOW
    for request in FLAGS_OF_FILES:
        assert verdict(machine, "ioctl", 3, request, confinement=L2) == EPERM
        assert verdict(machine, "ioctl", 3, request) == ALLOW
    assert verdict(machine, "ioctl", 3, 0x5413, confinement=L2) == ALLOW


COMMANDS_TO_FILE_SYSTEMS = {
    "EXT4_IOC_SETVERSION": 0x40086604,
    "EXT4_IOC_MOVE_EXT": 0xC028660F,
    "FS_IOC_ENABLE_VERITY": 0x40806685,
    "FS_IOC_SET_ENCRYPTION_POLICY": 0x800C6613,
    "FS_IOC_ADD_ENCRYPTION_KEY": 0xC0506617,
    "FS_IOC_REMOVE_ENCRYPTION_KEY": 0xC0406618,
    "FS_IOC_SETFSLABEL": 0x41009432,
    "FITRIM": 0xC0185879,
    "FIDEDUPERANGE": 0xC0189436,
    "XFS_IOC_GOINGDOWN": 0x8004587D,
    "BTRFS_IOC_SNAP_CREATE": 0x50009401,
    "BTRFS_IOC_SNAP_CREATE_V2": 0x50009417,
    "BTRFS_IOC_SUBVOL_CREATE": 0x5000940E,
    "BTRFS_IOC_SUBVOL_CREATE_V2": 0x50009418,
    "BTRFS_IOC_SNAP_DESTROY": 0x5000940F,
    "BTRFS_IOC_SUBVOL_SETFLAGS": 0x4008941A,
    "BTRFS_IOC_SET_RECEIVED_SUBVOL": 0xC0C89425,
    "BTRFS_IOC_INO_LOOKUP_USER": 0xD000943E,
    "F2FS_IOC_SET_PIN_FILE": 0x4004F50D,
    "BCH_IOCTL_SUBVOLUME_CREATE": 0x4020BC10,
    "NILFS_IOCTL_SYNC": 0x80086E8A,
    "CEPH_IOC_SET_LAYOUT": 0x40289702,
    "CIFS_IOC_SET_INTEGRITY": 0x0000CF04,
}
QUESTIONS_TO_FILE_SYSTEMS = {
    "FS_IOC_GETFLAGS": 0x80086601,
    "FS_IOC_FIEMAP": 0xC020660B,
    "FS_IOC_FSGETXATTR": 0x801C581F,
    "FICLONE": 0x40049409,
    "FICLONERANGE": 0x4020940D,
    "FIONREAD": 0x541B,
    "FIONBIO": 0x5421,
    "FIGETBSZ": 0x2,
    "BLKGETSIZE64": 0x80081272,
}


@pytest.mark.req("G-05", "G-08")
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("confinement", [NONE, L2])
def test_whoever_reads_a_file_gives_its_file_system_no_commands(
    machine: str, confinement: Confinement
) -> None:
    def said(command: int) -> int:
        return verdict(machine, "ioctl", 3, command, confinement=confinement)

    assert {name: said(one) for name, one in COMMANDS_TO_FILE_SYSTEMS.items()} == dict.fromkeys(
        COMMANDS_TO_FILE_SYSTEMS, EPERM
    )
    assert {name: said(one) for name, one in QUESTIONS_TO_FILE_SYSTEMS.items()} == dict.fromkeys(
        QUESTIONS_TO_FILE_SYSTEMS, ALLOW
    )


@pytest.mark.req("G-28")
@pytest.mark.parametrize("machine", MACHINES)
def test_what_an_older_landlock_does_not_know_is_filtered(machine: str) -> None:
    def at(abi: int, name: str, *arguments: int) -> int:
        code = program(L2, machine, abi=abi)
        number = kernel.NUMBERS[machine][name]
        return judge(code, kernel.AUDIT_ARCHITECTURES[machine], number, *arguments)

    emptying, ordinary = os.O_RDONLY | os.O_TRUNC, os.O_WRONLY | os.O_TRUNC | os.O_CREAT
    assert (at(2, "truncate"), at(3, "truncate")) == (EPERM, ALLOW)
    assert (at(2, "openat", 0, 0, emptying), at(3, "openat", 0, 0, emptying)) == (EPERM, ALLOW)
    assert at(2, "openat", 0, 0, ordinary, 0o644) == ALLOW
    assert at(2, "openat", 0, 0, ordinary, 0o4644) == EPERM
    assert at(2, "openat", 0, 0, os.O_RDWR | os.O_TRUNC, 0) == ALLOW


SHM_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
SEM_OPEN = os.O_RDWR | os.O_CREAT | os.O_EXCL
"""As the C library opens memory, and what it makes a lock of."""


@pytest.mark.req("G-28")
def test_memory_with_a_name_is_asked_for_where_the_machine_is_shared() -> None:
    def at(confinement: Confinement, name: str, *arguments: int) -> int:
        return verdict(kernel.MACHINE, name, *arguments, confinement=confinement)

    asked = {SHM_OPEN, SHM_OPEN & ~os.O_CREAT, os.O_NOFOLLOW | os.O_CLOEXEC, SEM_OPEN}
    plain = {
        os.O_RDONLY, os.O_RDONLY | os.O_CLOEXEC, os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
        os.O_NOFOLLOW, SHM_OPEN | os.O_DIRECTORY, SHM_OPEN | os.O_PATH, SEM_OPEN | os.O_CLOEXEC,
    }  # fmt: skip
    for flags in asked:
        assert (at(L2, "openat", 0, 0, flags), at(NONE, "openat", 0, 0, flags)) == (ASK, ALLOW)
        assert at(L2, "openat", 0, 0, flags | os.O_CREAT, 0o4644) == EPERM
    assert {at(L2, "openat", 0, 0, flags) for flags in plain} == {ALLOW}


@pytest.mark.req("G-28")
@pytest.mark.parametrize("machine", MACHINES)
def test_names_of_memory_are_linked_and_removed_by_the_calls_of_libraries(machine: str) -> None:
    known = kernel.NUMBERS[machine]
    here = (1 << 64) - 100
    names = [name for name in ("link", "unlink", "linkat", "unlinkat") if name in known]
    assert len(names) == 2
    for name in names:
        assert verdict(machine, name, here, 1, confinement=L2) == ASK
        assert verdict(machine, name, here, 1) == ALLOW
    if "unlinkat" in known:
        assert verdict(machine, "unlinkat", 3, 1, confinement=L2) == ALLOW
    assert not any(
        judge(program(L2, machine, memory=False), kernel.AUDIT_ARCHITECTURES[machine], number)
        == ASK
        for number in known.values()
    )


def test_who_is_asked_already_asks_nobody_else() -> None:
    """There can be one who listens, around whatever is inside."""
    with asker(lambda: os._exit(restrict(ASKING) != -1)) as (_, child):
        assert ended(child) == 0
