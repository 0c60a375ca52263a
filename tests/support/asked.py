"""Recorded answers to the packaged pipelines, some of them changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from custody import api
from custody.engine.result import RunResult
from custody.pipeline.library import sample_answers
from support.bench import Bench

APPROVED = 'Good.\n\n```json\n{"verdict": "approved"}\n```\n'
REWORK = 'Not APPROVED.\n\n```json\n{"verdict": "rework"}\n```\n'


def book(folder: Path, name: str, **changed: list[str]) -> str:
    """Return an agent that gives the sample answers; ``tasks__2__audit`` is ``tasks.2.audit``."""
    nodes: dict[str, Any] = json.loads(sample_answers(name) or b"")["nodes"]
    for node, texts in changed.items():
        nodes[node.replace("__", ".").replace("any", "*")] = [{"text": text} for text in texts]
    path = folder / "book.json"
    path.write_text(json.dumps({"nodes": nodes}))
    return f"fake:{path}"


def ask(bench: Bench, mode: str, *, task: str = "Do it", **options: Any) -> RunResult:
    """Run a packaged pipeline."""
    variables = {"task": task, **options.pop("variables", {})}
    options.setdefault("agent", f"fake:{mode}")
    options.setdefault("run_id", "r1")
    return api.run(
        mode,
        workdir=str(bench.workdir),
        runsdir=str(bench.runsdir),
        variables=variables,
        **options,
    )


def documents(bench: Bench, run_id: str = "r1") -> set[str]:
    """Return every document of a run."""
    root = bench.path("", run_id)
    return {
        str(path.relative_to(root))
        for home in ("docs", "audits")
        for path in (root / home).rglob("*")
        if path.is_file()
    }
