"""LanceDB's full-text index over the pieces of changes, or over whole changes, as it comes."""

from __future__ import annotations

import sys
import time

import lancedb

from benchmarks.retrieval.exchange import PIECES, ask, pieces, queries, size_mb, tell


def main(mode: str, corpus: str, folder: str) -> None:
    """Index and ask; ``mode`` is ``pieces`` or ``whole``."""
    documents = pieces(corpus, whole=mode == "whole")
    begin = time.perf_counter()
    database = lancedb.connect(folder)
    rows = [{"number": number, "text": piece.text} for number, piece in enumerate(documents)]
    table = database.create_table("pieces", rows)
    table.create_fts_index("text")
    build = time.perf_counter() - begin

    def search(text: str) -> list[str]:
        hits = table.search(text, query_type="fts").select(["number"]).limit(PIECES).to_list()
        return [documents[hit["number"]].change for hit in hits]

    tell({"build_s": build, "mb": size_mb(folder), **ask(search, queries(corpus))})


if __name__ == "__main__":
    main(*sys.argv[1:4])
