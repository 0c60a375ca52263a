"""The scripts that a job writes for its tool, as texts.

``restore_wrapper.tcl`` is the only one that sources a file outside ``scripts/``, and the only line
in it that does so names the design. A skill's own scripts are copied as they are.
"""

from __future__ import annotations

_SPECIAL = '\\"$[]{}'


def restore_wrapper(enc_path: str) -> str:
    """Return the script that restores a design; raises `ValueError` for a path no script can hold.

    It goes to the folder of the design first, since designs name their files from there.
    """
    return (
        "# The only script of this job that sources a file outside scripts/.\n"
        f"set enc_path {tcl_word(enc_path)}\n"
        "cd [file dirname $enc_path]\n"
        "source $enc_path\n"
    )


def tcl_word(text: str) -> str:
    """Return a text as one word of Tcl that stands for it, whatever it holds."""
    if any(ord(character) < ord(" ") or ord(character) == 0x7F for character in text):  # noqa: PLR2004 - DEL
        raise ValueError(f"{text!r} holds a control character")
    quoted = "".join(f"\\{one}" if one in _SPECIAL else one for one in text)
    return f'"{quoted}"'
