"""A repository to pack, with the documents that every pack must hold."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from custody.model.contracts.context_pack import ContextPack, PackFailure
from custody.store.root import Root
from custody.workspace.pack.librarian import MANDATORY, Suggest, make_pack

Need = dict[str, Any]


class Library:
    """A folder with files, and requests for them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for path in MANDATORY:
            self.write(path, f"# {path}\n")

    def write(self, path: str, content: str | bytes) -> None:
        """Put a file there."""
        file = self.folder / path
        assert file.is_relative_to(self.folder)
        assert ".." not in file.parts
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def sparse(self, path: str, size: int) -> None:
        """Put a file there that takes no room on the disk: zeros."""
        self.write(path, b"")
        os.truncate(self.folder / path, size)

    def head(self, path: str, size: int) -> str:
        """Return what a file begins with."""
        with (self.folder / path).open("rb") as file:
            return file.read(size).decode(errors="replace")

    @property
    def mandatory_bytes(self) -> int:
        """How much of a budget the mandatory documents take."""
        return sum((self.folder / path).stat().st_size for path in MANDATORY)

    def request(
        self, *needs: Any, max_files: int = 20, max_total_bytes: int = 200_000, **more: Any
    ) -> dict[str, Any]:
        """Return a request for some files."""
        return {
            "schema_version": "ctcp-file-request-v1",
            "goal": "Understand it",
            "needs": list(needs),
            "budget": {"max_files": max_files, "max_total_bytes": max_total_bytes},
            "reason": "to see",
            **more,
        }

    def ask(
        self, request: Any, name: str = "library", suggest: Suggest | None = None
    ) -> ContextPack | PackFailure:
        """Answer a request, which may be bytes."""
        data = request if isinstance(request, bytes) else json.dumps(request).encode()
        with Root.open(str(self.folder)) as root:
            return make_pack(root, data, name=name, suggest=suggest)

    def pack(self, *needs: Any, **settings: Any) -> ContextPack:
        """Answer a request that can be answered."""
        made = self.ask(self.request(*needs, **settings))
        assert isinstance(made, ContextPack), made
        return made

    def fail(self, *needs: Any, **settings: Any) -> PackFailure:
        """Answer a request that cannot be answered."""
        made = self.ask(self.request(*needs, **settings))
        assert isinstance(made, PackFailure), made
        return made


def whole(path: str) -> Need:
    """Return a need for a whole file."""
    return {"path": path, "mode": "full"}


def some(path: str, *ranges: tuple[int, int]) -> Need:
    """Return a need for some lines of a file."""
    return {"path": path, "mode": "snippets", "line_ranges": [list(pair) for pair in ranges]}


def served(pack: ContextPack) -> list[tuple[str, str]]:
    """Return path and content of what is in a pack beside the mandatory documents."""
    return [(f.path, f.content) for f in pack.files if f.why != "mandatory_contract"]


def left_out(pack: ContextPack) -> list[tuple[str, str]]:
    """Return path and reason of what is not."""
    return [(o.path, o.reason) for o in pack.omitted]
