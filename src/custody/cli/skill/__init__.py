"""What `custody skill` can do: one module an action, with ``execute``.

The arguments are declared by `custody.cli.commands.skill`.
"""
