"""Bytes on disk: safe paths, atomic writes, blobs, the journal, the run directory.

    Root            a directory that nothing leaves: every file is reached through it
    Blobs           content by its sha256
    Journal         the ordered facts of one run, chained and durable
    RunDirectory    everything one run leaves behind
    index           many of them under one folder

Nothing here decides what may be done; it does what it is told, whole or not at all.
"""
