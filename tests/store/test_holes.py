"""What is zero is left out, and reads the same."""

from __future__ import annotations

import os
from pathlib import Path

from custody.store.holes import has_holes, write_data


def test_zeros_become_holes(tmp_path: Path) -> None:
    data = bytes(1 << 20) + b"x" * 5000 + bytes(1 << 20)
    with (tmp_path / "file").open("wb") as file:
        write_data(file.fileno(), memoryview(data))
        os.ftruncate(file.fileno(), len(data))
    assert (tmp_path / "file").read_bytes() == data
    assert has_holes((tmp_path / "file").stat())
    (tmp_path / "whole").write_bytes(b"x" * 8192)
    assert not has_holes((tmp_path / "whole").stat())
