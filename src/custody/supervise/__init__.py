"""Starting, watching and ending the processes of a stage.

`Supervisor` is what the runtime calls. It talks to a server, a process that it forks (`client`,
`protocol`, `server`), which starts command lines (`spawn`, `command_list`) and leaves nothing
running when one has ended; a `reaper` sees to it should the server itself be killed.
"""
