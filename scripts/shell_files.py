"""Put the man page and the completions of the shells into the wheel; called by the build."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPLETIONS = {
    "bash": "share/bash-completion/completions/custody",
    "fish": "share/fish/vendor_completions.d/custody.fish",
    "zsh": "share/zsh/site-functions/_custody",
}
MAN_PAGE = "share/man/man1/custody.1"


class ShellFiles(BuildHookInterface[Any]):
    """Makes the files from the commands of the sources that are built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files of a wheel; an editable install has none."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root) / "src"))
        self._folder = tempfile.TemporaryDirectory(prefix="custody-shell-files-")
        for path, text in _texts().items():
            made = Path(self._folder.name) / path.replace("/", "-")
            made.write_text(text, "utf-8")
            build_data["shared_data"][str(made)] = path

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made for the wheel."""
        del build_data, artifact_path
        if version != "editable":
            self._folder.cleanup()


def _texts() -> dict[str, str]:
    from custody.cli.commands import commands
    from custody.cli.commands.completion import script
    from custody.cli.manual import man_page

    texts = {path: script(shell) for shell, path in COMPLETIONS.items()}
    return {**texts, MAN_PAGE: man_page(commands())}
