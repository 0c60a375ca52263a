"""Agents of other distributions, installed for one test."""

from __future__ import annotations

from pathlib import Path


def install(site: Path, name: str, source: str, declared: str) -> None:
    """Put a distribution into a folder of the import path that declares the agent ``name``.

    ``source`` is its only module, ``declared`` what of that module the entry point names.
    """
    module = f"{name}_agent_for_tests"
    metadata = site / f"{module}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / f"{module}.py").write_text(source)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[custody.agents]\n{name} = {module}:{declared}\n")
