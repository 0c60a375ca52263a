"""Start a program in a place where the kernel refuses some calls, as a container's filter does.

    python refusing.py CALL:BITS:ERROR … -- PROGRAM ARGUMENT …

BITS are of the call's first argument; 0 refuses the call whatever it is asked for.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from pathlib import Path

from custody.sandbox.kernel import NUMBERS

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NUMBER, _FIRST = 0, 16


def command(refusals: dict[str, tuple[int, str]], *words: str) -> list[str]:
    """Return the command line that starts ``words`` there."""
    given = [f"{call}:{bits}:{name}" for call, (bits, name) in refusals.items()]
    return [sys.executable, str(Path(__file__)), *given, "--", *words]


def _instructions(refusal: str) -> list[tuple[int, int, int, int]]:
    call, bits, name = refusal.split(":")
    number = NUMBERS[os.uname().machine][call]
    refuse = (_RETURN, 0, 0, _ERROR | getattr(errno, name))
    if bits == "0":
        return [(_LOAD, 0, 0, _NUMBER), (_EQUAL, 0, 1, number), refuse]
    return [
        (_LOAD, 0, 0, _NUMBER),
        (_EQUAL, 0, 3, number),
        (_LOAD, 0, 0, _FIRST),
        (_ANY_BIT, 0, 1, int(bits)),
        refuse,
    ]


def _refuse(refusals: list[str]) -> None:
    program = [line for refusal in refusals for line in _instructions(refusal)]
    program.append((_RETURN, 0, 0, _ALLOW))
    code = b"".join(struct.pack("=HBBI", *line) for line in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(program), ctypes.addressof(buffer))
    library = ctypes.CDLL(None, use_errno=True)
    assert library.prctl(38, 1, 0, 0, 0) == 0
    assert library.prctl(22, 2, ctypes.c_char_p(header), 0, 0) == 0, os.strerror(ctypes.get_errno())


if __name__ == "__main__":
    border = sys.argv.index("--")
    _refuse(sys.argv[1:border])
    os.execvp(sys.argv[border + 1], sys.argv[border + 1 :])
