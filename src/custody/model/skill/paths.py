"""Where the files of a job are, by the names of `custody.model.layout`."""

from __future__ import annotations

from custody.model import layout


def run_script(skill: str, name: str) -> str:
    """Return the file of a job that holds a script of its skill: ``scripts/run_<skill>.tcl``."""
    return f"{layout.SCRIPTS}/{name}_{skill}.tcl"


def source_request(request: str) -> str:
    """Return the file in which a job's tool is asked to source a script."""
    return f"{layout.QUEUE}/{request}.json"


def source_ack(request: str) -> str:
    """Return the file that says what came of it."""
    return f"{layout.ACK}/{request}.json"


def source_request_id(job: str, number: int, tag: str) -> str:
    """Return how a request to a job's tool is called: ``<job_id>_<seq4>_<tag>``."""
    return f"{job}_{number:04d}_{tag}"


def session_streams(tool: str) -> tuple[str, str]:
    """Return the files in which people look for what a job's tool has printed."""
    stdout, stderr = layout.streams(tool)
    return f"{layout.SESSIONS}/{stdout}", f"{layout.SESSIONS}/{stderr}"


def job_streams(tool: str) -> tuple[str, str]:
    """Return the documents that keep the ends of these."""
    stdout, stderr = layout.streams(tool)
    return f"{layout.LOGS}/{stdout}", f"{layout.LOGS}/{stderr}"
