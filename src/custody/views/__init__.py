"""Documents made from the journal. Delete them and they can be made again, the same bytes.

Each module turns facts into one document, without reading a clock. `collect` puts them together,
and `writer` keeps the files up to date while a journal grows.
"""
