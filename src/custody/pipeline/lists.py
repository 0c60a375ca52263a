"""Attribute lists: ``[name=value, name="a text"]``; the commas may be left out."""

from __future__ import annotations

from custody.model.graph import Attribute, AttributeValue
from custody.patterns import later
from custody.pipeline.messages import shown
from custody.pipeline.parse_state import NAMES, Reading
from custody.pipeline.syntax import Attributes
from custody.pipeline.tokens import END, WORD, match_attribute, unescape
from custody.pipeline.values import bare_value

_NAME = later(r"[A-Za-z_][A-Za-z0-9_.-]*")
_SEPARATORS = frozenset((",", ";"))
_BEYOND = frozenset((END, "[", "{", "}", "->", "--"))
"""Tokens that show that a list was never closed."""
_STOPS = _SEPARATORS | _BEYOND | {"]"}
_STATEMENT = frozenset(("[", "->", "--"))
"""What follows a name that begins a statement."""


def read_lists(reading: Reading) -> Attributes:
    """Read every list that stands here; the first of two equal names is kept."""
    attributes: Attributes = {}
    while reading.scan.kind == "[":
        _read_list(reading, attributes)
    return attributes


def read_assignment(reading: Reading, name: str, start: int) -> Attributes:
    """Read ``= value`` behind the name at ``start``."""
    attributes: Attributes = {}
    _check_name(reading, name, start)
    reading.scan.advance()
    if not _read_value(reading, attributes, name, start):
        reading.skip_statement()
    return attributes


def _read_list(reading: Reading, attributes: Attributes) -> None:
    scan = reading.scan
    opened, text, end = scan.start, scan.text, scan.end
    while match := match_attribute(text, end):
        name, bare, quoted, mark = match.groups()
        value: AttributeValue
        if quoted is not None:
            value, start = unescape(quoted), match.start(3) - 1
        else:
            try:
                value, start = bare_value(bare), match.start(2)
            except ValueError:
                break
        if name in attributes:
            break
        attributes[name] = Attribute(name=name, value=value, position=scan.position(start))
        end = match.end()
        if mark == "]":
            return scan.go_to(end)
    scan.go_to(end)
    return _read_by_tokens(reading, attributes, opened)


def _read_by_tokens(reading: Reading, attributes: Attributes, opened: int) -> None:
    scan = reading.scan
    while scan.kind != "]":
        if scan.kind in _BEYOND or _begins_statement(reading):
            return reading.unclosed("[", opened)
        if not _read_attribute(reading, attributes):
            _skip_to_separator(reading)
        if scan.kind in _SEPARATORS:
            scan.advance()
        elif scan.kind not in _STOPS and not _begins_statement(reading):
            _go_on_without_separator(reading)
    return scan.advance()


def _begins_statement(reading: Reading) -> bool:
    scan = reading.scan
    return scan.kind in NAMES and scan.begins_line and scan.next_kind() in _STATEMENT


def _read_attribute(reading: Reading, attributes: Attributes) -> bool:
    """Read one attribute; after a finding that leaves its rest unread the answer is False."""
    scan = reading.scan
    name, start = scan.value, scan.start
    if scan.kind not in NAMES:
        reading.unexpected("an attribute's name")
        return False
    _check_name(reading, name, start)
    scan.advance()
    if scan.kind == "=":
        scan.advance()
        return _read_value(reading, attributes, name, start)
    if scan.kind in _SEPARATORS or scan.kind == "]":
        reading.report(start, f"attribute {shown(name)} has no value", "write name=value")
    elif scan.kind in _BEYOND:
        reading.complete = False
    else:
        reading.unexpected(f"'=' behind the name {shown(name)}")
    return False


def _read_value(reading: Reading, attributes: Attributes, name: str, start: int) -> bool:
    scan = reading.scan
    if scan.kind == "<":
        hint = "write a quoted string"
        reading.report(scan.start, "an HTML label is not part of the language", hint)
        scan.skip_html()
        return False
    if scan.kind not in NAMES:
        reading.unexpected("a value")
        if scan.kind == "[":
            reading.skip_nested()
        return False
    value = _typed(reading)
    if name in attributes:
        _report_twice(reading, attributes[name], start)
    elif value is not None:
        position = scan.position(scan.start)
        attributes[name] = Attribute(name=name, value=value, position=position)
    scan.advance()
    _refuse_joined(reading)
    return True


def _typed(reading: Reading) -> AttributeValue | None:
    scan = reading.scan
    if scan.kind != WORD:
        return scan.value
    try:
        return bare_value(scan.value)
    except ValueError:
        message = f"{shown(scan.value)} is neither a word, a number nor a duration"
        reading.report(scan.start, message, "put it in quotes")
        return None


def _refuse_joined(reading: Reading) -> None:
    scan = reading.scan
    if scan.kind == "+":
        reading.report(
            scan.start, "joined strings are not part of the language", "write one string over lines"
        )
    while scan.kind == "+":
        scan.advance()
        if scan.kind in NAMES:
            scan.advance()


def _check_name(reading: Reading, name: str, start: int) -> None:
    if _NAME.fullmatch(name) is None:
        reading.report(
            start,
            f"{shown(name)} is no attribute name",
            "a name has letters, digits, '_', '.', '-', and begins with a letter or '_'",
        )


def _report_twice(reading: Reading, first: Attribute, start: int) -> None:
    place = first.position
    reading.report(
        start,
        f"attribute {shown(first.name)} already has a value, at {place.line}:{place.column}",
        "keep one of them",
        code="duplicate",
    )


def _go_on_without_separator(reading: Reading) -> None:
    """Go on where the next attribute stands; report whatever else there is."""
    scan = reading.scan
    if scan.kind in NAMES and scan.next_kind() == "=":
        return
    opened = scan.position(scan.before)
    hint = "put a comma between attributes"
    if opened.line < scan.position(scan.behind).line:
        hint = f"is a quote missing? the string opened at {opened.line}:{opened.column} ends here"
    reading.unexpected("',' or ']'", hint)
    _skip_to_separator(reading)
    if scan.kind in _SEPARATORS:
        scan.advance()


def _skip_to_separator(reading: Reading) -> None:
    while reading.scan.kind not in _STOPS:
        reading.scan.advance()
