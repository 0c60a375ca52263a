"""Documents made from the journal. Delete them and they can be made again, the same bytes.

Each module turns facts into one document, without reading a clock. `writer` keeps them up to
date while a run goes on; `rebuild` makes them all from a journal.
"""
