"""Rules of a filter say what their names say, for whatever a call is given."""

from __future__ import annotations

import errno
import stat

import pytest

from custody.sandbox import bpf
from custody.sandbox.bpf import ALLOWED, ASKED, REFUSED, Program
from support.filters import judge

ARCHITECTURE = 7
CALL = 5
ALLOW, ASK, KILL = 0x7FFF0000, 0x7FC00000, 0x80000000
REFUSE, MISSING = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS


def of(rule: Program, *arguments: int) -> int:
    return judge(
        bpf.assembled({CALL: rule}, ARCHITECTURE, x32=False), ARCHITECTURE, CALL, *arguments
    )


def test_calls_are_found_by_their_numbers() -> None:
    rules = {number: REFUSED if number % 3 else ASKED for number in range(0, 400, 7)}
    rules[3] = [*ALLOWED] * 250
    code = bpf.assembled(rules, ARCHITECTURE, x32=True)
    for number in range(500):
        expected = ALLOW if number not in rules or number == 3 else REFUSE if number % 3 else ASK
        assert judge(code, ARCHITECTURE, number) == expected
    assert judge(code, ARCHITECTURE + 1, 7) == KILL
    assert judge(code, ARCHITECTURE, 0x40000000 | 7) == MISSING
    assert judge(bpf.assembled({}, ARCHITECTURE, x32=False), ARCHITECTURE, 0x40000007) == ALLOW


def test_bits() -> None:
    assert [of(bpf.refuse_bits(2, 0b110), 0, 0, bits) for bits in range(4)] == [
        ALLOW, ALLOW, REFUSE, REFUSE,
    ]  # fmt: skip
    rule = [*bpf.refuse_bits_where(0, 0b1, 1, 0b10), *ASKED]
    found = {(one, other): of(rule, one, other) for one in range(4) for other in range(4)}
    assert {pair for pair, said in found.items() if said == REFUSE} == {
        (1, 2), (1, 3), (3, 2), (3, 3),
    }  # fmt: skip
    assert set(found.values()) == {REFUSE, ASK}


def test_values() -> None:
    assert [of(bpf.refuse_values(1, (3, 5)), 0, n) for n in range(3, 7)] == [
        REFUSE, ALLOW, REFUSE, ALLOW,
    ]  # fmt: skip
    assert [of(bpf.only_values(1, (3, 5)), 0, n) for n in range(3, 7)] == [
        ALLOW, REFUSE, ALLOW, REFUSE,
    ]  # fmt: skip
    assert of(bpf.only_values(0, ()), 0) == REFUSE
    assert of(bpf.refuse_values(0, (3,)), 3 | 1 << 40) == REFUSE, "the kernel reads half of it"


@pytest.mark.parametrize(("rule", "said"), [(bpf.refuse_masked, REFUSE), (bpf.ask_masked, ASK)])
def test_what_a_mask_leaves(rule: object, said: int) -> None:
    assert callable(rule)
    made = [*rule(0, 0b1100, 0b0100), *ALLOWED]
    assert [number for number in range(16) if of(made, number) == said] == [4, 5, 6, 7]
    assert {of(made, number) for number in range(16)} == {said, ALLOW}


def test_commands_of_a_kind() -> None:
    rule = bpf.only_known_of_kinds(1, (0x66, 0x94), (0x80086601, 0x40049409))
    allowed = (0x80086601, 0x40049409, 0x5413, 0x66, 0x940000, 0x80081501)
    refused = (0x40086602, 0x00086601, 0x5000940E, 0x6600, 0x66FF)
    assert {of(rule, 0, command) for command in allowed} == {ALLOW}
    assert {of(rule, 0, command) for command in refused} == {REFUSE}
    assert of(rule, 0, 0x40086602 | 1 << 40) == REFUSE, "the kernel reads half of it"


def test_pairs_of_sockets() -> None:
    rule = bpf.only_pairs(1, (1, 5), 0o2004000)
    found = {(family, kind): of(rule, family, kind) for family in range(4) for kind in range(8)}
    assert {pair for pair, said in found.items() if said == ALLOW} == {(1, 1), (1, 5)}
    assert of(rule, 1, 5 | 0o2004000) == of(rule, 1, 1 | 0o4000) == ALLOW
    assert of(rule, 1, 2 | 0o2000000) == of(rule, 1, 1 | 0o20) == REFUSE


def test_only_the_caller() -> None:
    found = {
        (kind, who): of(bpf.only_itself((1, 2)), kind, who) for kind in range(4) for who in (0, 9)
    }
    assert {pair for pair, said in found.items() if said == ALLOW} == {(1, 0), (2, 0)}


def test_modes_of_files() -> None:
    rule = bpf.only_plain_kinds(1, 0o6000)
    kinds = (stat.S_IFREG, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR, stat.S_IFBLK)
    assert [of(rule, 0, kind | 0o644) for kind in kinds] == [ALLOW, ALLOW, ALLOW, REFUSE, REFUSE]
    assert of(rule, 0, stat.S_IFREG | 0o4755) == REFUSE


def test_sockets() -> None:
    tcp = bpf.only_one_protocol((1,), (2, 10), (0o4000, 1, 6), ASKED)
    asked = {
        (family, kind, protocol)
        for family in range(12)
        for kind in (1, 2, 1 | 0o4000)
        for protocol in (0, 6, 17)
        if of(tcp, family, kind, protocol) == ASK
    }
    assert asked == {(f, k, p) for f in (2, 10) for k in (1, 1 | 0o4000) for p in (0, 6)}
    assert of(tcp, 1, 2, 3) == ALLOW
    plain = bpf.only_families((1, 2), 16, 0)
    assert [of(plain, family, 3, 0) for family in (1, 2, 3, 16)] == [ALLOW, ALLOW, REFUSE, ALLOW]
    assert of(plain, 16, 3, 9) == REFUSE
