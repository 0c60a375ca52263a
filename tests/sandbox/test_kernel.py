"""The numbers of the calls, beside those in the headers of the kernel."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from custody.sandbox import kernel

HEADERS = {
    # The kernel's common table, which aarch64 uses as it is (arch/arm64/tools/syscall_64.tbl).
    "aarch64": ("asm-generic/unistd.h",),
    # Debian keeps a machine's headers in a folder of its own.
    "x86_64": ("x86_64-linux-gnu/asm/unistd_64.h", "asm/unistd_64.h"),
}
NEWER_THAN_SOME_HEADERS = {
    "fchmodat2": 452, "setxattrat": 463, "removexattrat": 466, "open_tree_attr": 467,
    "file_setattr": 469,
}  # fmt: skip
"""From include/uapi/asm-generic/unistd.h of Linux 6.6 to 6.17; the same for every machine."""
DEFINITION = re.compile(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)", re.MULTILINE)


def in_headers(machine: str) -> dict[str, int]:
    """Return the numbers as the installed headers have them; empty where there are none."""
    for name in HEADERS[machine]:
        header = Path("/usr/include") / name
        if header.exists():
            return {call: int(number) for call, number in DEFINITION.findall(header.read_text())}
    return {}


def installed() -> list[str]:
    return [machine for machine in kernel.NUMBERS if in_headers(machine)]


@pytest.mark.parametrize("machine", installed())
def test_the_numbers_are_those_of_the_kernel(machine: str) -> None:
    known = NEWER_THAN_SOME_HEADERS | in_headers(machine)
    wrong = {
        name: (number, known.get(name))
        for name, number in kernel.NUMBERS[machine].items()
        if known.get(name) != number
    }
    assert not wrong


def test_calls_that_came_after_the_tables_were_joined_are_the_same_everywhere() -> None:
    first, *others = kernel.NUMBERS.values()
    late = {name for name, number in first.items() if number >= 424}
    assert len(late) > 15
    assert all({name: numbers[name] for name in late} == {name: first[name] for name in late}
               for numbers in others)  # fmt: skip
