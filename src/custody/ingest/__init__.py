"""Ingest: the fenced blocks of a document become files.

`fences` reads the blocks, `blocks` writes those that may be written, `document` makes the manifest
and the facts of what became of them. `answer` ingests what a stage wrote, `standalone` a file.
"""
