"""Renews the leases of the sessions that a run needs, for as long as the runtime lives."""

from __future__ import annotations

import threading

from custody.errors import CustodyError
from custody.executors.sessions.generation import Generation

_RENEWALS = 4
"""How often a lease is renewed in the time that it lasts."""


class Leases:
    """Leases that are held, renewed by one thread that starts with the first."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[Generation, float]] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def hold(self, generation: Generation, lease: float) -> None:
        """Renew a lease now, and from now on."""
        generation.renew()
        with self._changed:
            self._held[generation.path] = (generation, lease)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._renew_all, name="custody-leases", daemon=True
                )
                self._thread.start()
            self._changed.notify()

    def let_go(self, generation: Generation) -> None:
        """Renew a lease no more."""
        with self._changed:
            self._held.pop(generation.path, None)
            self._changed.notify()

    def close(self) -> None:
        """Let go of all of them, and end the thread."""
        with self._changed:
            self._held.clear()
            thread, self._thread = self._thread, None
            self._changed.notify()
        if thread is not None:
            thread.join()

    def _renew_all(self) -> None:
        with self._changed:
            while self._held:
                for generation, _ in self._held.values():
                    _renew(generation)
                shortest = min(lease for _, lease in self._held.values())
                self._changed.wait(shortest / _RENEWALS)
            self._thread = None


def _renew(generation: Generation) -> None:
    try:
        generation.renew()
    except CustodyError:
        return  # tried again soon; a session whose lease runs out ends, and that is told
