"""bm25s over the pieces of changes, or over whole changes, as its documentation begins."""

from __future__ import annotations

import sys
import time

import bm25s

from benchmarks.retrieval.exchange import PIECES, ask, pieces, queries, size_mb, tell


def main(mode: str, corpus: str, folder: str) -> None:
    """Index and ask; ``mode`` is ``pieces`` or ``whole``."""
    documents = pieces(corpus, whole=mode == "whole")
    begin = time.perf_counter()
    words = bm25s.tokenize([piece.text for piece in documents], stopwords="en", show_progress=False)
    retriever = bm25s.BM25()
    retriever.index(words, show_progress=False)
    retriever.save(folder)
    build = time.perf_counter() - begin
    most = min(PIECES, len(documents))

    def search(text: str) -> list[str]:
        asked = bm25s.tokenize(text, stopwords="en", show_progress=False)
        found, _ = retriever.retrieve(asked, k=most, show_progress=False)
        return [documents[int(number)].change for number in found[0]]

    tell({"build_s": build, "mb": size_mb(folder), **ask(search, queries(corpus))})


if __name__ == "__main__":
    main(*sys.argv[1:4])
