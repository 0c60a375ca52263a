"""What `custody logbook` can do: one module an action, with ``execute``.

The arguments are declared by `custody.cli.commands.logbook`.
"""
