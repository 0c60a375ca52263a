"""Finds the design that a job works on: ``<name>.enc`` and its companion ``<name>.enc.dat``.

A query with a separator in it, or one that ends in ``.enc``, is a path; anything else is a name
that is looked for in the folder of the job and below, three levels deep. Of several designs of a
name one must be chosen. What was found is told in any case; whether it is enough, a gate judges.

A path that is no UTF-8 cannot be written into a script or a document, so a design there is none.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime

from custody.model.skill.job import DesignCandidate, Located, SelectedDesign
from custody.store.places import leads_to
from custody.store.search import FoundFile, look_at, named_below

ENC = ".enc"
COMPANION = ".dat"
LEVELS = 3
SHOWN = 5
"""Candidates that a message names."""


def locate(query: str, cwd: str, select: int = 0) -> Located:
    """Look for a design; ``select`` is the number of a candidate, from 1 on, or 0 for no choice."""
    if os.sep in query or query.endswith(ENC):
        return _by_path(query, os.path.join(cwd, query))
    if not query:
        return Located(query=query, mode="cwd_scan", problem="no design is named: --design NAME")
    found = named_below(cwd, f"{query}{ENC}", LEVELS)
    return _by_name(query, cwd, found, select)


def moment(nanoseconds: int) -> str:
    """Return a time of a file as ISO 8601, in UTC."""
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _by_path(query: str, path: str) -> Located:
    found = look_at(path)
    if found is None or found.is_folder:
        there = "is a folder" if found else "is not there"
        return Located(query=query, mode="explicit_path", problem=f"{path} {there}")
    return _chosen(query, "explicit_path", (), found, "direct_match")


def _by_name(query: str, cwd: str, found: Sequence[FoundFile], select: int) -> Located:
    every, found = found, [one for one in found if _is_text(one.path)]
    listed = tuple(DesignCandidate(one.path, moment(one.mtime_ns), one.size) for one in found)

    def failed(problem: str) -> Located:
        return Located(query=query, mode="cwd_scan", candidates=listed, problem=problem)

    if len(found) < len(every) and not select:
        odd = next(one.path for one in every if not _is_text(one.path))
        return failed(f"{_odd(odd)}{', or choose another one by --select N' if found else ''}")
    if not found:
        return failed(f"there is no {query}{ENC} in {cwd}, {LEVELS} levels deep")
    if select:
        if select > len(found):
            there = "is 1 design" if len(found) == 1 else f"are {len(found)} designs"
            return failed(f"--select {select}: there {there} named {query}")
        return _chosen(query, "cwd_scan", listed, found[select - 1], "user_selected")
    if len(found) == 1:
        return _chosen(query, "cwd_scan", listed, found[0], "unique_scan_result")
    named = ", ".join(f"{number} {one.path}" for number, one in enumerate(found[:SHOWN], 1))
    more = ", …" if len(found) > SHOWN else ""
    return failed(f"{len(found)} designs are named {query}: choose by --select N: {named}{more}")


def _chosen(
    query: str, mode: str, listed: tuple[DesignCandidate, ...], found: FoundFile, reason: str
) -> Located:
    """Return the design, if both of its parts can be read."""
    folder, name = os.path.split(os.path.abspath(found.path))
    enc = os.path.join(leads_to(folder), name)
    companion = look_at(f"{enc}{COMPANION}")
    problem = trouble(enc, found, companion)
    return Located(
        query=query,
        mode="explicit_path" if mode == "explicit_path" else "cwd_scan",
        candidates=listed,
        selected=None if problem else SelectedDesign(enc, f"{enc}{COMPANION}"),
        selection_reason="" if problem else reason,
        problem=problem,
    )


def trouble(enc: str, found: FoundFile, companion: FoundFile | None) -> str:
    """Return why a design and its companion will not do; empty when they will."""
    if not _is_text(enc):
        return _odd(enc)
    if not found.readable:
        return f"{enc} cannot be read"
    if companion is None:
        return f"{enc}{COMPANION} is not there"
    return "" if companion.readable else f"{enc}{COMPANION} cannot be read"


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _odd(path: str) -> str:
    return f"{path!a} is not UTF-8: give it another name"
