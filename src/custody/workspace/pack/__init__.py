"""The librarian: copies the pieces of a repository that were asked for, and makes nothing up.

What it makes depends on the repository and the request alone: not on the order of a directory,
the locale, the umask or the machine. `custody.workspace.pack.librarian.make_pack` is the way in;
`request` reads what is asked for, `sight` says what may be seen, `reading` reads it.
"""
