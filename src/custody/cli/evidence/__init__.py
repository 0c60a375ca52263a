"""What `custody evidence` can do: one module an action, with ``arguments`` and ``execute``.

They are those of a command (`custody.cli.result`); the arguments that several share are declared
by `custody.cli.commands.evidence`.
"""
