"""Everything that the command line prints: data on standard output, the rest on standard error.

Text comes from agents and tools as well, so no control character of it reaches a terminal. In
JSON each is written as an escape, which means the same; only the lines of a journal go to a file
or a pipe byte for byte.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TextIO

from custody.cli.render.terminal import folded, paint, room, visible_json, wants_colour
from custody.cli.result import Line, Result
from custody.errors import CustodyError, NotReady, PipelineInvalid, StorageFailed


def prepare() -> None:
    """Make both streams able to print any text, whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def give(answer: Result, *, as_json: bool) -> None:
    """Print an answer; raises `StorageFailed` when nobody takes it."""
    if as_json:
        _be_exact()
        exact = isinstance(answer.data, Iterator) and not _on_terminal()
        documents = _documents(answer.data)
        failed = _write(sys.stdout, documents if exact else map(visible_json, documents))
    elif answer.raw is not None and not _on_terminal():
        failed = _write(sys.stdout, answer.raw)
    elif answer.verbatim and not _on_terminal():
        _be_exact()
        failed = _write(sys.stdout, (f"{line.text}\n" for line in answer.text))
    else:
        failed = _write(sys.stdout, _shown(answer.text, sys.stdout))
    _refuse_lost(failed)


def give_text(text: str) -> None:
    """Print a text of custody's own; raises `StorageFailed` when nobody takes it."""
    _refuse_lost(_write(sys.stdout, [text]))


def complain(error: CustodyError, *, as_json: bool) -> None:
    """Print what went wrong, where, and what to do about it."""
    findings = error.findings if isinstance(error, PipelineInvalid | NotReady) else ()
    code = getattr(error, "code", "")
    _tell(
        Trouble(error.error_type, error.what, error.where, error.hint, code, findings),
        as_json=as_json,
    )


def complain_of_bug(error: BaseException, *, as_json: bool, debug: bool) -> None:
    """Print that custody itself failed, and where the traceback is."""
    import traceback

    trace = _without_secrets("".join(traceback.format_exception(error)))
    if debug:
        _write(sys.stderr, (paint(Line(line), enabled=False) for line in trace.splitlines()))
    what = f"internal error: {type(error).__name__}: {error}"
    hint = "" if debug else _keep(trace)
    _tell(Trouble("INTERNAL", what, _last_frame(error), hint), as_json=as_json)


class Trouble(NamedTuple):
    """An error as it is told."""

    error_type: str
    what: str
    where: str = ""
    hint: str = ""
    code: str = ""
    findings: tuple[Any, ...] = ()

    def data(self) -> dict[str, Any]:
        """Return it for a program; findings only where there are some."""
        return {name: value for name, value in self._asdict().items() if value != ()}

    def lines(self) -> Iterator[Line]:
        """Return it for a person."""
        what, *more = self.what.split("\n")
        yield Line(f"error: {what}", "bad", hang=2)
        yield from (Line(f"  {line}", hang=4) for line in more)
        if self.where:
            yield Line(f"  at: {self.where}")
        for finding in self.findings:
            told = finding.render(self.where or ("-" if finding.line else "")).split("\n")
            yield from (Line(f"  {line}", hang=6) for line in told)
        if self.hint:
            is_command = self.hint.startswith("custody ")
            yield Line(f"  hint: {self.hint}", hang=None if is_command else 4)


def _tell(trouble: Trouble, *, as_json: bool) -> None:
    trouble = trouble._replace(
        what=_without_secrets(trouble.what),
        where=_without_secrets(trouble.where),
        hint=_without_secrets(trouble.hint),
    )
    if as_json:
        _be_exact()
        documents = _documents(iter([trouble.data()]))
        if _write(sys.stdout, map(visible_json, documents)) is None:
            return
    _write(sys.stderr, _shown(trouble.lines(), sys.stderr))


def _documents(data: Any) -> Iterator[str]:
    """Yield one document indented, or the documents of an iterator one a line."""
    from custody.model.record import encode, encode_pretty

    if isinstance(data, Iterator):
        yield from (f"{encode(document).decode()}\n" for document in data)
    else:
        yield encode_pretty(data).decode()


def _shown(lines: Iterable[Line], stream: TextIO | None) -> Iterator[str]:
    colour, columns = wants_colour(stream, os.environ), room(stream, os.environ)
    pieces = (piece for line in lines for piece in folded(line, columns))
    return (paint(piece, enabled=colour) for piece in pieces)


def _on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _be_exact() -> None:
    """Make standard output UTF-8: JSON is bytes, whatever the locale says."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8")


def _write(stream: TextIO | None, texts: Iterable[str | bytes]) -> OSError | None:
    """Print, line by line; return why it could not be. A reader who has gone away is no error."""
    if stream is None:
        return None
    for text in texts:
        try:
            if isinstance(text, bytes):
                stream.buffer.write(text)
            else:
                stream.write(text)
            stream.flush()
        except OSError as error:
            leave(stream)
            return None if isinstance(error, BrokenPipeError) else error
    return None


def _refuse_lost(error: OSError | None) -> None:
    if error is not None:
        raise StorageFailed(
            f"the output could not be written: {error.strerror}", where="standard output"
        )


def leave(stream: TextIO) -> None:
    """Let what is still buffered go nowhere, so that ending the process does not fail on it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _without_secrets(text: str) -> str:
    from custody.checks.guards.secrets import redactor_for

    return redactor_for(os.environ).redact(text)[0]


def _last_frame(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"


def _keep(trace: str) -> str:
    """Write a traceback to a new file and return where it is, for the hint."""
    from custody.store.scratch import keep

    try:
        path = keep(trace.encode(errors="backslashreplace"), begins="custody-error-", ends=".txt")
    except CustodyError:
        return "--debug prints the traceback"
    return f"the traceback is in {path}; --debug prints it"
