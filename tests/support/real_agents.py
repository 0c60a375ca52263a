"""The agents' own programs, as ``make agents`` installs them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent.parent / ".agents" / "node_modules" / ".bin"


def program(name: str) -> str:
    """Return the path of an agent's program; skips the test when it is not installed."""
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"{name} is not installed: `make agents` does it, with npm")
    return str(path)


def environment(home: Path, port: int) -> dict[str, str]:
    """Return the variables of somebody whose agents ask the model at a port of this machine."""
    provider = (
        f'name="local", base_url="http://127.0.0.1:{port}/v1", env_key="OPENAI_API_KEY",'
        ' wire_api="responses", stream_max_retries=0, request_max_retries=0'
    )
    return {
        "PATH": f"{FOLDER}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "COLUMNS": "80",
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "CUSTODY_CODEX_MODEL": "scripted",
        "CUSTODY_CODEX_CONFIG": f'model_provider="local"\nmodel_providers.local={{{provider}}}',
    }
