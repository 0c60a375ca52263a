"""The pipeline that a run is of, as its directory keeps it."""

from __future__ import annotations

import hashlib

from custody.errors import JournalBroken
from custody.handlers import catalog
from custody.model import layout
from custody.model.graph import Pipeline
from custody.pipeline.read import load_pipeline
from custody.pipeline.subpipeline_files import PartText
from custody.store.history import History


def pipeline_of(history: History) -> Pipeline:
    """Return the pipeline of a run when its journal was read; raises `JournalBroken`.

    Its source is kept as a blob, so the file in the run directory may be that of an earlier
    moment, or of a later one if the run is at work. It may not be one that the run never had:
    that is ``pipeline_mismatch``.
    """
    run = history.run
    where = f"{run.path}/{layout.PIPELINE}"
    shown = hashlib.sha256(run.root.read(layout.PIPELINE)).hexdigest()
    if shown not in history.pipelines and shown not in History.read(run).pipelines:
        what = f"{layout.PIPELINE} is not the pipeline of this run"
        raise JournalBroken("pipeline_mismatch", what, where=run.path)

    def part(name: str) -> PartText:
        if name not in history.parts:
            raise JournalBroken("pipeline_mismatch", f"the run has no part {name!r}")
        return PartText(run.blobs.get(history.parts[name]), f"{run.path}/{name}")

    source = run.blobs.get(history.pipeline_sha256)
    return load_pipeline(source, catalog(), where, part, begun_in=history.version)
