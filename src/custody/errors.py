"""Every exception that custody raises on purpose, and the exit code each one means.

    CustodyError                 what went wrong, where, and a hint
    ├── UsageError               the command or its arguments make no sense
    ├── Refused                  a guard said no; carries a stable code
    │   ├── PathRefused          a path may not be used
    │   ├── UriRefused           an evidence uri is no such uri, or of a scheme that is refused
    │   └── CommandRefused       a command may not be run
    ├── PipelineInvalid          the pipeline has findings that forbid running it
    ├── ContractInvalid          the contract of a skill has findings that forbid running it
    ├── MalformedDocument        a file or message does not fit its schema
    ├── RunError                 something about a run directory
    │   ├── RunNotFound          no run, or more than one, answers to that name
    │   ├── RunExists            that run id is taken
    │   ├── RunLocked            another process is writing this run
    │   ├── PipelineChanged      resume was given another pipeline than the run's
    │   ├── JournalBroken        the journal's chain does not hold
    │   └── BlobDamaged          content is missing or is not what its name says
    ├── ConfinementMissing       this machine cannot confine programs as is asked for
    ├── NotReady                 something that the pipeline needs is missing
    ├── ReplayDiverged           the recorded answers led to another decision
    ├── PackFailed               no context pack can be made; carries a stable code
    ├── FetchFailed              a page could not be had; carries a stable code
    ├── ResolveFailed            what an evidence uri points at could not be had; carries a code
    ├── LogbookFailed            the database of a logbook refused; carries a stable code
    ├── SeekFailed               the index of the search cannot be used; carries a stable code
    ├── StorageFailed            the disk refused: full, unreadable, read-only
    ├── AnswerAwaited            a person must answer before the run can go on
    └── Interrupted              the user pressed Ctrl-C, or the process was told to end

``error_type`` is stable and machine-readable; ``exit_code`` is what the command line ends
with. Any other exception reaching the command line is an internal error, exit code 2.
"""

from __future__ import annotations

from typing import ClassVar

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_INTERNAL = 2
EXIT_WAITING = 3
EXIT_INTERRUPTED = 130


class CustodyError(Exception):
    """Something a user can understand and act upon."""

    error_type: ClassVar[str] = "ERROR"
    exit_code: ClassVar[int] = EXIT_FAILED

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


class UsageError(CustodyError):
    """The command or its arguments make no sense."""

    error_type = "USAGE"


class Refused(CustodyError):
    """A guard said no. ``code`` names the rule and never changes its meaning."""

    error_type = "REFUSED"

    def __init__(self, code: str, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where=where, hint=hint)
        self.code = code


class PathRefused(Refused):
    """A path may not be used."""

    error_type = "PATH_REFUSED"


class UriRefused(Refused):
    """An evidence uri is no such uri, or of a scheme that is refused."""

    error_type = "URI_REFUSED"


class CommandRefused(Refused):
    """A command may not be run."""

    error_type = "COMMAND_REFUSED"


class PipelineInvalid(CustodyError):
    """The pipeline has findings that forbid running it; ``first`` is one of them in words."""

    error_type = "PIPELINE_INVALID"

    def __init__(
        self, what: str, findings: tuple[object, ...], *, where: str = "", first: str = ""
    ) -> None:
        from shlex import quote

        name = quote(where.removesuffix(" (packaged)")) if where else "PIPELINE"
        super().__init__(what, where=where, hint=f"`custody check {name}` lists every finding")
        self.findings = findings
        self.first = first

    def __str__(self) -> str:
        return f"{super().__str__()}; the first: {self.first}" if self.first else super().__str__()


class ContractInvalid(CustodyError):
    """The contract of a skill has findings that forbid running it; ``first`` is one of them."""

    error_type = "CONTRACT_INVALID"

    def __init__(
        self, what: str, findings: tuple[object, ...], *, where: str = "", first: str = ""
    ) -> None:
        super().__init__(what, where=where, hint="`custody skill check` lists every finding")
        self.findings = findings
        self.first = first

    def __str__(self) -> str:
        return f"{super().__str__()}; the first: {self.first}" if self.first else super().__str__()


class MalformedDocument(CustodyError):
    """A file or message does not fit its schema. ``code`` tells which way."""

    error_type = "MALFORMED_DOCUMENT"

    def __init__(self, code: str, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where=where, hint=hint)
        self.code = code


class RunError(CustodyError):
    """Something about a run directory."""

    error_type = "RUN_ERROR"


class RunNotFound(RunError):
    """No run, or more than one, answers to that name."""

    error_type = "RUN_NOT_FOUND"


class RunExists(RunError):
    """That run id is taken."""

    error_type = "RUN_EXISTS"


class RunLocked(RunError):
    """Another process is writing this run."""

    error_type = "RUN_LOCKED"


class PipelineChanged(RunError):
    """Resume was given another pipeline than the one the run was started with."""

    error_type = "PIPELINE_CHANGED"


class JournalBroken(RunError):
    """The journal's chain does not hold. ``code`` and ``line`` say how and where."""

    error_type = "JOURNAL_BROKEN"

    def __init__(self, code: str, what: str, *, line: int = 0, where: str = "") -> None:
        super().__init__(what, where=where, hint="`custody verify RUN` lists every mismatch")
        self.code = code
        self.line = line


class BlobDamaged(RunError):
    """Content is missing or is not what its name says."""

    error_type = "BLOB_DAMAGED"


class ConfinementMissing(CustodyError):
    """This machine cannot confine programs as is asked for."""

    error_type = "CONFINEMENT"


class NotReady(CustodyError):
    """Something that the pipeline needs is missing; ``findings`` name everything that is."""

    error_type = "NOT_READY"

    def __init__(self, what: str, findings: tuple[object, ...], *, where: str = "") -> None:
        super().__init__(what, where=where)
        self.findings = findings


class ReplayDiverged(CustodyError):
    """The recorded answers led to another decision than the recorded one."""

    error_type = "REPLAY_DIVERGED"


class PackFailed(CustodyError):
    """No context pack can be made. ``code`` tells why, as its failure file does."""

    error_type = "PACK_FAILED"

    def __init__(self, code: str, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where=where, hint=hint)
        self.code = code


class FetchFailed(CustodyError):
    """A page could not be had. ``code`` names the reason and never changes its meaning.

    ``status`` is that of HTTP where the server said one, else 0.
    """

    error_type = "FETCH_FAILED"

    def __init__(
        self, code: str, what: str, *, where: str = "", hint: str = "", status: int = 0
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.code = code
        self.status = status


class ResolveFailed(CustodyError):
    """What an evidence uri points at could not be had. ``code`` tells why, and never changes."""

    error_type = "RESOLVE_FAILED"

    def __init__(self, code: str, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where=where, hint=hint)
        self.code = code


class LogbookFailed(CustodyError):
    """The database of a logbook refused, or cannot be used. ``code`` tells why, and never changes.

    ``unreachable`` ``busy`` ``denied`` ``no_database`` ``newer`` ``changed`` ``constraint``
    ``diverged``
    """

    error_type = "LOGBOOK_FAILED"

    def __init__(self, code: str, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where=where, hint=hint)
        self.code = code


class SeekFailed(CustodyError):
    """The index of the search cannot be used. ``code`` tells why, and never changes.

    ``stamp`` ``embedder`` ``digest`` ``off``
    """

    error_type = "SEEK_FAILED"

    def __init__(self, code: str, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where=where, hint=hint)
        self.code = code


class StorageFailed(CustodyError):
    """The disk refused: full, unreadable, read-only."""

    error_type = "STORAGE_FAILED"


class AnswerAwaited(CustodyError):
    """A person must answer before the run can go on; the run is left as it is until then."""

    error_type = "ANSWER_AWAITED"
    exit_code = EXIT_WAITING

    def __init__(self, request_id: str, *, path: str, answer: str, run: str) -> None:
        super().__init__(
            f"{request_id} waits for a person",
            where=path,
            hint=f"custody answer {run}/{request_id} --file FILE",
        )
        self.request_id = request_id
        self.path = path
        self.answer = answer


class Interrupted(CustodyError):
    """The user pressed Ctrl-C, or the process was told to end."""

    error_type = "INTERRUPTED"
    exit_code = EXIT_INTERRUPTED
