"""Memory, semaphores, queues and keys of the machine, which nobody in a sandbox has to do with."""

from __future__ import annotations

import ctypes
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from custody.sandbox import kernel

_libc = ctypes.CDLL(None, use_errno=True)
_REMOVE = 0
_USER_KEYRING, _REVOKE = -4, 3


class Shared:
    """One of each kind, by whatever name it goes; all are removed when the stack is left."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        name = f"/custody-test-{os.getpid()}"
        self.aims: dict[str, Any] = {
            "memory": self._memory(),
            "semaphore": self._semaphore(),
            "messages": self._messages(),
            "shared": self._shared_file(name),
            "queue": self._queue(name),
            "key": self._key(name),
        }

    def _memory(self) -> int:
        memory = int(_libc.shmget(0, 4096, 0o1600))
        self._stack.callback(_libc.shmctl, memory, _REMOVE, None)
        return memory

    def _semaphore(self) -> int:
        semaphore = int(_libc.semget(0, 1, 0o1600))
        self._stack.callback(_libc.semctl, semaphore, 0, _REMOVE)
        return semaphore

    def _messages(self) -> int:
        messages = int(_libc.msgget(0, 0o1600))
        self._stack.callback(_libc.msgctl, messages, _REMOVE, None)
        return messages

    def _shared_file(self, name: str) -> str:
        """Leave two files where processes share memory; return the first's name, with a slash."""
        for file in (Path(f"/dev/shm{name}"), Path(f"/dev/shm{name}-spare")):
            file.write_text("shared")
            self._stack.callback(file.unlink, missing_ok=True)
        return name

    def _queue(self, name: str) -> str:
        queue = _libc.mq_open(name.encode(), os.O_CREAT | os.O_RDWR, 0o600, None)
        if queue >= 0:
            self._stack.callback(os.close, queue)
            self._stack.callback(_libc.mq_unlink, name.encode())
        return name

    def _key(self, name: str) -> str:
        """Put a key into the user's keyring, where the kernel has keyrings."""
        try:
            key = kernel.call("add_key", b"user", name.encode(), b"x", 1, _USER_KEYRING)
        except OSError:
            return name
        self._stack.callback(kernel.call, "keyctl", _REVOKE, key)
        return name
