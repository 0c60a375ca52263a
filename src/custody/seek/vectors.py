"""Vectors by the hash of what they were made of, so that the same bytes are embedded once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from custody.logbook import Transaction
from custody.seek.embedders import Vector


class Vectors(Protocol):
    """Where the vectors of one model are.

    A digest is the hash of a source or of a piece, in hexadecimal digits.
    """

    def put(self, transaction: Transaction, rows: Iterable[tuple[str, Vector]]) -> None:
        """Add vectors by digest, in the place of those that are there."""

    def known(self, transaction: Transaction, digests: Sequence[str]) -> set[str]:
        """Return those of some digests that have a vector."""

    def drop(self, transaction: Transaction, digests: Sequence[str]) -> None:
        """Remove vectors."""

    def nearest(
        self, transaction: Transaction, query: Vector, count: int
    ) -> list[tuple[str, float]]:
        """Return the digests of the vectors most like a query, with their cosines; best first."""

    def likeness(
        self, transaction: Transaction, query: Vector, digests: Sequence[str]
    ) -> dict[str, float]:
        """Return the cosines of some vectors with a query; those that are missing are left out."""
