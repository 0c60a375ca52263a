"""tantivy over the pieces of changes, or over whole ones, with one of its tokenizers."""

from __future__ import annotations

import re
import sys
import time

import tantivy

from benchmarks.retrieval.exchange import PIECES, ask, pieces, queries, size_mb, tell

_WORD = re.compile(r"\w+")


def main(mode: str, corpus: str, folder: str) -> None:
    """Index and ask; ``mode`` is ``pieces`` or ``whole``, and the name of a tokenizer."""
    level, _, tokenizer = mode.partition(",")
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("body", tokenizer_name=tokenizer)
    schema.add_integer_field("number", stored=True)
    documents = pieces(corpus, whole=level == "whole")
    begin = time.perf_counter()
    index = tantivy.Index(schema.build(), path=folder)
    writer = index.writer()
    for number, piece in enumerate(documents):
        writer.add_document(tantivy.Document(body=piece.text, number=number))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    build = time.perf_counter() - begin
    searcher = index.searcher()

    def search(text: str) -> list[str]:
        query = index.parse_query(" ".join(_WORD.findall(text.lower())), ["body"])
        hits = searcher.search(query, PIECES).hits
        return [documents[searcher.doc(place)["number"][0]].change for _, place in hits]

    tell({"build_s": build, "mb": size_mb(folder), **ask(search, queries(corpus))})


if __name__ == "__main__":
    main(*sys.argv[1:4])
