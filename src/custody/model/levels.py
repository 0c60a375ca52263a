"""The levels of confinement in a few words, the strongest first."""

from __future__ import annotations

MEANINGS = {
    "L3": "namespaces and a root of its own",
    "L2": "Landlock and a filter of system calls",
    "L1": "not confined",
}
