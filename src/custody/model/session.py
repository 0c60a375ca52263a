"""A session: a program that stays between requests, and what its files say.

A session is opened again, as another generation under a new token, when the old one cannot be
gone on with. A token is a number that only grows; a generation lies in a folder of that name:

    order.json           what is to be started, and how long it may stay
    lease                touched again and again by the runtime while it needs the session
    close                there when the session is to end
    beat.json            what the watcher sees, written again with every beat
    ended.json           how it ended, written once
    fenced.json          which acks counted when a newer token was taken, written once
    ignored/<key>        acks that came later and have been recorded as such
    accepted/<key>       the sha256 of the ack that counts, where others are looked for
    stdout.log  stderr.log  watcher.log
    cache/               what the program keeps for its own speed
    box/                 all that the program sees of the run
        queue/<key>.json requests; the program can only read them
        claim/<key>.json written once by the program before it begins with a request
        ack/<key>.json   written once by the program when it is done
        ack.kept/        the acks that counted, once a newer token was taken
        state/ready      written by the program when it takes requests
        state/heartbeat  touched again and again by a program that has a heartbeat of its own
        wake             a FIFO that tells the key of a new request, where the watcher can have one
        work/            its own
"""

from __future__ import annotations

from typing import Literal

import msgspec

from custody.model import layout
from custody.model.confinement import Level, Network
from custody.model.limits import StageLimits
from custody.model.record import Document, Record

ORDER, LEASE, CLOSE = "order.json", "lease", "close"
BEAT, ENDED, FENCED, IGNORED = "beat.json", "ended.json", "fenced.json", "ignored"
ACCEPTED = "accepted"
STDOUT, STDERR, WATCHER_LOG = "stdout.log", "stderr.log", "watcher.log"
CACHE, BOX = layout.CACHE, "box"
QUEUE, CLAIM, ACK, STATE, WORK = layout.QUEUE, "claim", layout.ACK, "state", layout.WORK
READY, HEARTBEAT, WAKE = "ready", "heartbeat", "wake"
KEPT = f"{ACK}.kept"
WRITABLE = (CLAIM, ACK, STATE, WORK)
"""What of its box the program can change."""

EndReason = Literal[
    "exited", "not_started", "closed", "fenced", "lease_expired", "terminated", "output_limit",
    "limit_exceeded", "supervisor_lost",
]  # fmt: skip
"""Why a session ended: by itself, not even begun, or because the watcher ended it.

The watcher ends it when it is told to close, sees a newer token, no longer sees its lease
renewed, is itself told to end (SIGTERM), or the program prints or takes too much.
"""


class SessionKind(Record, frozen=True, kw_only=True):
    """What a session is: the program that stays, what it may reach, and how long it is waited for.

    Times are in seconds. None of them bounds a request: each request brings its own.
    """

    name: str
    """What the session is called; a run has one of each name."""
    argv: tuple[str, ...]
    """The program, which takes requests from its box. No secret stands here: it is written down."""
    folder: str = ""
    """Where in its box it begins, such as ``work``, whose files it can make; empty for the box."""
    launcher: tuple[str, ...] = ()
    """The command that starts the watcher elsewhere, such as ``srun``; empty for this machine.

    How it ends says nothing: only what the watcher and the program write down counts.
    """
    launcher_stays: bool = False
    """Whether the launcher stays for as long as what it has started.

    If it does, one that is gone before anything was heard of the watcher is not waited for.
    """
    launcher_shell: bool = False
    """Whether the launcher joins its arguments and hands them to a shell: they are quoted then."""
    variables: dict[str, str] = {}
    """Set for the program, beside those that every program gets; written down as well."""
    passed: tuple[str, ...] = ()
    """Names of variables of the runtime that the program may see too; no value is written down."""
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    """Files and folders that it may use beside its box, by their absolute paths."""
    network: Network = "none"
    reach: tuple[str, ...] = ()
    """``host:port`` of each server that it may reach although the network is none."""
    sealed: bool = False
    """Whether nothing that it can change may be run, or loaded as a library, at L3."""
    limits: StageLimits = StageLimits()
    """How much it may take for as long as it lives."""
    lease: float = 60.0
    """How long it stays without its lease being renewed: when the runtime is gone."""
    beat: float = 0.5
    """How often the watcher says that it lives, and looks whether it is still needed."""
    start: float = 60.0
    """How long it may take to become ready, from the launcher on."""
    lost: float = 10.0
    """How long the watcher may be silent before the session is given up."""
    hung: float = 30.0
    """How long the program may be stopped, or leave a request alone, before it is given up."""
    pulse: float | None = None
    """How long a program with a heartbeat of its own may leave it alone while it does nothing.

    One that computes has no time for it, and is not given up. Where nothing is said, it is not
    looked at.
    """
    grace: float = 5.0
    """How long the program may take to end when it is asked to, before it is killed."""
    output: int = 64 << 20
    """Bytes of each of its streams that are kept; a program that prints more is ended."""


class SessionOrder(Document, frozen=True, kw_only=True):
    """``order.json``: what the watcher starts, and for how long it lets it stay."""

    token: int
    level: Level
    kind: SessionKind
    source: str = ""
    """The repository of the run, of which the program sees no more than toolchains."""


class Beat(Document, frozen=True, kw_only=True):
    """``beat.json``: the watcher lives, and this is what it sees of the program."""

    beat: int
    """How many there have been: a clock of its own, since machines disagree about the time."""
    watcher: int
    """The watcher's process."""
    program: int = 0
    """The program's process; 0 as long as there is none."""
    process: str = ""
    """What the kernel says of it: ``R`` at work, ``S`` or ``D`` waiting, ``T`` stopped."""
    cpu: float = 0.0
    """Seconds that it, and whatever it has started, has computed."""
    heartbeat: int = 0
    """When the program's own heartbeat was touched, by the file system's clock; 0 without one."""
    host: str = ""
    """What the machine is called."""


class Ended(Document, frozen=True, kw_only=True):
    """``ended.json``: nothing of the session runs any more."""

    reason: EndReason
    exit_code: int | None = None
    signal: int = 0
    failure: str = ""
    """Why the program could not be started, or which limit it exceeded; or empty."""
    seconds: float = 0.0


class Fenced(Document, frozen=True, kw_only=True):
    """``fenced.json``: a newer token was taken, and no further ack of this one counts."""

    by: int
    acks: tuple[str, ...]
    """Keys of the acks that were there by then."""


class Stamp(msgspec.Struct, frozen=True):
    """What every ack must say, whatever else it holds."""

    request_id: str
    token: int


class RecordedSession(Record, frozen=True):
    """What the journal knows of a session."""

    token: int
    """The highest under which it was opened."""
    open: bool
    """Whether nobody has closed it since."""
    outdated: bool = False
    """Whether it has done work that no longer counts, and so may not be gone on with."""


def outdated(session: RecordedSession) -> RecordedSession:
    """Return a session as it is known when work that it has done no longer counts."""
    return msgspec.structs.replace(session, outdated=True)
