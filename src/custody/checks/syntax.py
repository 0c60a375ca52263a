"""Whether a file that was written can be read as what it says it is.

Python is read into a tree, JSON into values; nothing is compiled further, imported or run, and
nothing is written. Other languages have no check here.
"""

from __future__ import annotations

import _ast
import warnings
from collections.abc import Callable
from typing import Any

from custody.errors import MalformedDocument
from custody.model.record import decode
from custody.model.verdict import Verdict

SIZE_LIMIT = 1 << 20
"""Most bytes that are read; a longer file is not judged."""


def check_syntax(path: str, lang: str, content: bytes) -> Verdict | None:
    """Return what was found; None where there is no check for the language."""
    check = _CHECKS.get(lang.lower())
    if check is None or len(content) > SIZE_LIMIT:
        return None
    reason = check(content)
    code = "syntax" if reason else ""
    return Verdict(check="syntax", allowed=not reason, code=code, reason=reason, subject=path)


def _python(content: bytes) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a warning about an escape is no error
            compile(content, "<block>", "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno or 0}: {error.msg}"
    except ValueError as error:
        return str(error)
    # Each release of Python has words of its own for these.
    except RecursionError:
        return "maximum recursion depth exceeded"
    except MemoryError:
        return "nested too deeply"
    return ""


def _json(content: bytes) -> str:
    try:
        decode(content, Any, where="")
    except MalformedDocument as error:
        return error.what
    return ""


_CHECKS: dict[str, Callable[[bytes], str]] = {
    "python": _python,
    "python3": _python,
    "py": _python,
    "json": _json,
}
"""By what stands before ``file=``, in small letters."""
