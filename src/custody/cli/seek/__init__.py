"""What `custody seek` can do: one module an action, with ``arguments`` and ``execute``."""
