"""What must be there before a stage can do its work."""

from __future__ import annotations

from typing import Literal

from custody.model.record import Record

NeedKind = Literal["program", "package", "variable", "file", "server"]


class Need(Record, frozen=True):
    """Something of the machine, or of the user's, that a stage cannot do without."""

    kind: NeedKind
    names: tuple[str, ...]
    """Any one of them will do: a program, a package of Python, a variable that is set, a file, or
    a server as ``host:port``."""
    hint: str = ""
    """What to do when there is none."""

    def told(self) -> str:
        """Return it in words."""
        return f"{self.kind} {' or '.join(self.names)}"
