"""One tree of errors, drawn in its docstring; each has a type and an exit code of its own."""

from __future__ import annotations

import re

import pytest

from custody import errors
from custody.errors import AnswerAwaited, CustodyError, Interrupted, JournalBroken, PipelineInvalid


def all_kinds() -> list[type[CustodyError]]:
    kinds = [CustodyError]
    for kind in kinds:
        kinds.extend(one for one in kind.__subclasses__() if one.__module__ == errors.__name__)
    return kinds


def test_every_error_type_is_its_own() -> None:
    types = [kind.error_type for kind in all_kinds()]
    assert len(set(types)) == len(types)


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    drawn = re.findall(r"^    ([│├└─ ]*)(\w+) {2,}", errors.__doc__ or "", re.MULTILINE)
    above: list[str] = []
    told = {}
    for marks, name in drawn:
        depth = len(marks) // 4
        told[name] = above[depth - 1] if depth else "Exception"
        above[depth:] = [name]
    assert told == {kind.__name__: kind.__bases__[0].__name__ for kind in all_kinds()}


def test_what_where_and_a_hint() -> None:
    error = CustodyError("it is wrong", where="a/b", hint="do so")
    assert (error.what, error.where, error.hint, str(error)) == (
        "it is wrong",
        "a/b",
        "do so",
        "a/b: it is wrong",
    )
    assert str(CustodyError("it is wrong")) == "it is wrong"


@pytest.mark.parametrize("kind", all_kinds(), ids=lambda kind: kind.__name__)
def test_the_exit_code_of_an_error(kind: type[CustodyError]) -> None:
    expected = {AnswerAwaited: errors.EXIT_WAITING, Interrupted: errors.EXIT_INTERRUPTED}
    assert kind.exit_code == expected.get(kind, errors.EXIT_FAILED)


def test_what_some_of_them_carry() -> None:
    broken = JournalBroken("chain", "it is broken", line=7)
    assert (broken.code, broken.line, "verify" in broken.hint) == ("chain", 7, True)
    assert PipelineInvalid("no", ("finding",)).findings == ("finding",)
    assert str(PipelineInvalid("no", (), where="p", first="1:2 x")) == "p: no; the first: 1:2 x"
    awaited = AnswerAwaited("ask/1.1", path="p", answer="a", run="r1")
    assert awaited.hint == "custody answer r1/ask/1.1 --file FILE"
    assert (awaited.request_id, awaited.path, awaited.answer) == ("ask/1.1", "p", "a")
