"""What the parser has seen so far: its findings, and the ways to go on after one."""

from __future__ import annotations

from typing import Final

from custody.model.finding import Finding
from custody.pipeline.messages import shown
from custody.pipeline.tokens import END, ODD, TEXT, WORD, Tokenizer

FINDINGS_LIMIT: Final = 100
"""Syntax findings after which a file is given up."""

NAMES: Final = frozenset((WORD, TEXT))
ARROWS: Final = frozenset(("->", "--"))
_CLOSING = {"[": "]", "{": "}"}


class Reading:
    """A tokenizer and what was found on its way."""

    def __init__(self, text: str) -> None:
        self.scan = Tokenizer(text)
        self.findings: list[Finding] = []
        self.complete = True
        """False once nodes or edges may have been skipped."""

    def report(self, offset: int, message: str, hint: str = "", code: str = "syntax") -> None:
        """Add a finding; the one after the last that is allowed ends the scan."""
        if len(self.findings) > FINDINGS_LIMIT:
            return
        if len(self.findings) == FINDINGS_LIMIT:
            message, hint, code = "too many findings; the rest is not looked at", "", "syntax"
            self.complete = False
            self.scan.stop(offset, message)
        place = self.scan.position(offset)
        self.findings.append(
            Finding(code=code, message=message, line=place.line, column=place.column, hint=hint)
        )

    def unexpected(self, expected: str, hint: str = "") -> None:
        """Report that the current token cannot stand here."""
        scan = self.scan
        if scan.kind == END:
            if scan.failure is None:
                self.report(scan.start, f"the file ends where {expected} was expected")
            return
        message = f"{shown(scan.value)} stands where {expected} was expected"
        self.report(scan.start, message, hint or self._hint())

    def unclosed(self, mark: str, opened: int) -> None:
        """Report that the mark at ``opened`` has no counterpart; something else may be why."""
        if self.scan.failure is None:
            self.report(opened, f"this '{mark}' is not closed")

    def skip_statement(self) -> None:
        """Go behind the next ``;``, or to the next line that begins with a name."""
        scan = self.scan
        self.complete = False
        while scan.kind not in {"}", END} and not (scan.kind in NAMES and scan.begins_line):
            if scan.kind in _CLOSING:
                self.skip_nested()
            elif scan.kind == ";":
                return scan.advance()
            else:
                scan.advance()
        return None

    def skip_nested(self) -> None:
        """Go behind the mark that closes the current one, however deep it nests."""
        scan = self.scan
        opening, closing, depth = scan.kind, _CLOSING[scan.kind], 0
        while scan.kind != END:
            if scan.kind == opening:
                depth += 1
            elif scan.kind == closing:
                depth -= 1
            scan.advance()
            if depth == 0:
                return

    def _hint(self) -> str:
        scan = self.scan
        if scan.kind != ODD:
            return ""
        if scan.value == "#":
            return "a '#' comment needs a line of its own; put a value with '#' in quotes"
        return "" if scan.value.isascii() else "put text outside ASCII in quotes"
