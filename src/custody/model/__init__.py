"""The words custody thinks in: frozen data, no I/O.

Everything that is written to a run directory or passed between packages is one of these.
Nothing here opens a file, reads a clock or knows where a run lives.
"""
