"""Files and folders among the temporaries, made for their owner alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from custody.store.files import temporary_name
from custody.store.os_errors import failure
from custody.store.places import require_utf8
from custody.store.resolve import own
from custody.store.root import Root


@contextmanager
def scratch(folder: str = "") -> Iterator[Root]:
    """Yield a new folder in ``folder``, or among the temporaries of this machine.

    Nothing of it is left afterwards, not even of folders that were closed to their owner. In a
    run directory it has the name of a temporary, so that it is swept if nobody comes to that.
    Raises `StorageFailed`, and `PathRefused` where programs could not be told where it is.
    """
    require_utf8(folder)
    with Root.open(folder or temporaries(), resolver=own) as above:
        name = temporary_name() if folder else f"custody-{os.urandom(8).hex()}"
        try:
            os.mkdir(name, 0o700, dir_fd=above.fd)
        except OSError as error:
            raise failure(error, f"{above.path}/{name}") from error
        try:
            with above.sub(name) as made:
                yield made
        finally:
            above.remove_tree(name)


def keep(data: bytes, *, begins: str, ends: str) -> str:
    """Put a new file among the temporaries of this machine, to stay; return where it is."""
    with Root.open(temporaries(), resolver=own) as above:
        name = f"{begins}{os.urandom(8).hex()}{ends}"
        above.create(name, data, mode=0o600, sync=False)
        return f"{above.path}/{name}"


def temporaries() -> str:
    """Return the folder for temporaries of this machine."""
    import tempfile

    return tempfile.gettempdir()
