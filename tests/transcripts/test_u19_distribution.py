"""It is installed as custody-runtime and called custody, and hints say so."""

from __future__ import annotations

import pytest

from custody.version import VERSION
from support.transcript import Transcript

METADATA = "from importlib.metadata import metadata as of; print(of('custody-runtime')['Name'])"


@pytest.mark.req("U-19")
def test_the_names_agree(terminal: Transcript) -> None:
    terminal.write("absent/shtab.py", "raise ModuleNotFoundError(name='shtab')\n")
    version = terminal("custody --version")
    assert version.text == f"custody {VERSION}"
    terminal(f'python3 -c "{METADATA}"')
    terminal.environment["PYTHONPATH"] = str(terminal.folder / "absent")
    terminal("custody completion bash")
    terminal.must_be_as_kept()
