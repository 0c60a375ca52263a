"""What keeps a stage's processes to their stage.

`confinement` says what is wanted, and `apply` puts a process
into it: by namespaces and a root of its own (`namespaces`, `rootfs`, `overlay`), by Landlock
(`landlock`) and by a filter of system calls (`seccomp`). Pure Python; nothing is compiled, and no
other program is needed.
"""
