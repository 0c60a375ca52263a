"""Pipelines by whatever names them: a path, a packaged name, DOT text, or one that was read."""

from __future__ import annotations

import os

from custody.errors import StorageFailed, UsageError
from custody.handlers import catalog
from custody.model.finding import Finding
from custody.model.graph import Pipeline
from custody.pipeline.read import load_pipeline, read_pipeline
from custody.pipeline.subpipeline_files import Library, PartText, is_packaged

PipelineSource = str | os.PathLike[str] | Pipeline
"""A path, a packaged pipeline's name, DOT text (a string that holds a brace), or a `Pipeline`."""


def load(pipeline: PipelineSource) -> Pipeline:
    """Return a pipeline that can be run; raises `PipelineInvalid`, or `UsageError` for none.

    A `Pipeline` is read again from its own text: the text is what a run keeps.
    """
    if isinstance(pipeline, Pipeline):
        return _read_again(pipeline)
    data, where = _source(pipeline)
    return load_pipeline(data, catalog(), where, _library(pipeline), name=_key(pipeline))


def check(pipeline: str | os.PathLike[str]) -> tuple[Pipeline | None, tuple[Finding, ...]]:
    """Return a pipeline and every finding about it; None when it cannot be read at all."""
    data, _where = _source(pipeline)
    return read_pipeline(data, catalog(), _library(pipeline), name=_key(pipeline))


def named_by(pipeline: PipelineSource) -> str:
    """Return what findings call a pipeline: its path or name, where it has one."""
    if isinstance(pipeline, Pipeline):
        return pipeline.name
    return "text" if _is_text(pipeline) else os.fspath(pipeline)


def _read_again(pipeline: Pipeline) -> Pipeline:
    def part(name: str) -> PartText:
        return PartText(pipeline.sources[name], name)

    read = load_pipeline(pipeline.source, catalog(), pipeline.name, part)
    if read != pipeline:
        raise UsageError(
            f"the pipeline {pipeline.name!r} is not what its text says",
            hint="change the text, and load it again",
        )
    return read


def _is_text(pipeline: str | os.PathLike[str]) -> bool:
    return isinstance(pipeline, str) and "{" in pipeline


def _source(pipeline: str | os.PathLike[str]) -> tuple[bytes, str]:
    """Return a pipeline's text and where it came from."""
    from custody.store.root import read_file

    if _is_text(pipeline):
        return str(pipeline).encode(), "text"
    name = os.fspath(pipeline)
    if isinstance(pipeline, str) and is_packaged(name):
        from custody.pipeline.library import packaged

        found = packaged(name)
        if found is not None:
            return found, f"{name} (packaged)"
    try:
        return read_file(name), name
    except StorageFailed as error:
        raise UsageError(f"no pipeline at {name!r}", hint=_nearest(name) or error.what) from error


def _nearest(name: str) -> str:
    """Return the hint for a name that is nearly that of a packaged pipeline; else nothing."""
    from difflib import get_close_matches

    from custody.pipeline.library import packaged_names

    near = get_close_matches(name, packaged_names(), n=1) if is_packaged(name) else []
    return f"did you mean {near[0]!r}?" if near else ""


def _key(pipeline: str | os.PathLike[str]) -> str:
    """Return the name that a pipeline itself is kept under; text has none."""
    if _is_text(pipeline):
        return ""
    name = os.fspath(pipeline)
    return name if is_packaged(name) else os.path.basename(name)


def _library(pipeline: str | os.PathLike[str]) -> Library:
    """Return what finds the parts of a pipeline: packaged ones, and files from its folder on.

    The folder of a text is the current one.
    """
    folder = "" if _is_text(pipeline) else os.path.dirname(os.fspath(pipeline))

    def find(key: str) -> PartText:
        data, where = _source(key if is_packaged(key) else os.path.join(folder, key))
        return PartText(data, where)

    return find
