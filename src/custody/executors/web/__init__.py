"""Pages of the web for who plans a change: asked for, read, cut down to an excerpt, and marked.

`find` is the way in. `provider` asks servers, `page` makes text of what comes, `excerpt` chooses a
piece of it, `risks` says what to beware of. What comes from outside is never followed.
"""
