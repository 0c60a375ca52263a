r"""Patches in git's form: one reader, one writer, and what applying means. Bytes throughout.

    read          bytes → `FileChange`s; strict, every refusal with its line
    apply         `FileChange`s and the files that are there → the files after
    write         a `Change` with its contents → bytes that ``git apply`` takes
    root_tree     the files of a folder, for `apply`
    outline       where the files and hunks of any diff begin, for those who only read it
    git_header    what stands above the hunks of a file, as git writes it
    plain_header  the same as other diffs write it
    names         how git spells a path, and which paths it can hold
    binary        what is no text: base 85 over zlib, whole or as a delta
    lines         where two texts differ
    source        a patch line by line

A line ends with ``\n`` and with nothing else. Paths are bytes relative to the top, as git holds
them. A patch that cannot be read or applied is `MalformedDocument` with the code ``patch``.

Everything that is accepted here means the same to ``git apply``. Beyond what git refuses, the
reader refuses what git passes over or guesses:

- text between the files of a patch other than empty lines: mail headers, ``Index:``, a signature
- a name without git's prefix (``a/``, ``b/`` and those of ``diff.mnemonicPrefix``), and one that
  holds a control character without being quoted
- lines of one header that name different files, repeat or contradict each other
- a file that is changed twice; deleting it before it is made anew is how a type changes
- a mode other than 100644, 100755 and 120000; submodules
- a hunk that is not where it says it is, or whose two positions do not fit together; a mark for
  a missing newline in the middle of a side
- a change of a symlink that does not say that it is one
- a header without ``diff --git`` that adds a file and does not say so by ``/dev/null`` or a date
- binary data that unfolds to more than `LIMIT`
"""

from __future__ import annotations

from typing import Literal, NamedTuple

REGULAR = 0o100644
EXECUTABLE = 0o100755
SYMLINK = 0o120000
SUBMODULE = 0o160000

LIMIT = 256 << 20
"""Most bytes that the binary data of one patch may unfold to."""

Kind = Literal["add", "delete", "modify", "rename", "copy"]


class File(NamedTuple):
    """A file or a symlink, as git holds it."""

    mode: int
    """`REGULAR`, `EXECUTABLE` or `SYMLINK`."""
    content: bytes
    """For a symlink its target."""


class Hunk(NamedTuple):
    """A piece of a text, before and after."""

    number: int
    """The line of the patch where it begins."""
    start: int
    """How many lines of the old text stand before it."""
    lines: tuple[bytes, ...]
    """Each with its mark (blank, ``-`` or ``+``) and its newline, which the last may lack."""

    @property
    def before(self) -> list[bytes]:
        """The lines that the old text holds."""
        return [line[1:] for line in self.lines if line[0] != _PLUS]

    @property
    def after(self) -> list[bytes]:
        """The lines that the new text holds in their place."""
        return [line[1:] for line in self.lines if line[0] != _MINUS]

    @property
    def added(self) -> int:
        """How many lines it adds."""
        return sum(line[0] == _PLUS for line in self.lines)

    @property
    def closes(self) -> bool:
        """Whether no context follows its last change: then the old text ends with it."""
        return self.lines[-1][0] != _BLANK


class Binary(NamedTuple):
    """The new content of a file that is no text."""

    method: Literal["literal", "delta"]
    data: bytes
    """The content itself, or how it is made from the old one."""
    old_id: str
    """Git's name of the content before; zeros where there was none."""
    new_id: str


class FileChange(NamedTuple):
    """What a patch does to one file."""

    number: int
    """The line of the patch where it begins."""
    kind: Kind
    old_path: bytes | None
    """None for a file that is added."""
    new_path: bytes | None
    """None for a file that is deleted."""
    old_mode: int | None = None
    """None where the patch does not say."""
    new_mode: int | None = None
    """Other than the old one only where the patch changes it."""
    hunks: tuple[Hunk, ...] = ()
    binary: Binary | None = None

    @property
    def paths(self) -> tuple[bytes, ...]:
        """Every path that it reads, writes or removes."""
        return tuple(dict.fromkeys(path for path in (self.old_path, self.new_path) if path))

    @property
    def removes(self) -> bytes | None:
        """The path that is free afterwards, unless another change takes it."""
        return self.old_path if self.kind in {"delete", "rename"} else None


_BLANK, _PLUS, _MINUS = b" +-"
