"""The actions of `custody evidence`: one module each.

Each has ``TAKES`` and ``NEEDS``, the options beside its subject, and ``execute``, which calls one
function and says what came of it.
"""
