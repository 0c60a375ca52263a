"""Each guard that is disabled is missed by a test; and the list of them is complete and fits."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import codebase
import mutants as running
from mutant_page import PAGE, TITLES, page, read_rows
from mutant_table import Change, Mutant, NotApplicable, apply, read_table
from support.sweep import POINT, SOAK, Sweep, budget, chunks

TABLE = read_table()
CHEAP = frozenset({"gates", "guards", "paths"})
"""Areas whose tests take a few seconds; the others have their turn in a soak."""
FEW = 2
CHUNKS = chunks(16)
JUDGING = ("custody.checks.gates", "custody.checks.guards")
NO_GUARDS = {
    "custody.checks.gates.Case": "what is recorded of an attempt",
    "custody.checks.guards.flags.FlagRule": "a row of a table",
    "custody.checks.guards.flags.Syntax": "a row of a table",
    "custody.checks.guards.outside.as_written": "words for a message",
    "custody.checks.guards.patch_headers.HeaderLine": "a value",
    "custody.checks.guards.secret_patterns.Pattern": "a row of a table",
    "custody.checks.guards.shell_text.TooManyWords": "an error",
    "custody.checks.guards.web_address.WebAddress": "a value",
    "custody.checks.guards.words.Operator": "a value",
    "custody.checks.guards.words.Word": "a value",
}
"""What others can use there and decides nothing."""
SAMPLE = '''\
"""A module."""

LIMIT = 3


class Door:
    """A door."""

    def opens(self, key: str) -> bool:
        """Tell."""
        if key == "ü" or len(key) > LIMIT:
            return False
        self.note(key)
        return True
'''


@pytest.mark.timeout(budget(300, 7200))
@pytest.mark.parametrize("chunk", CHUNKS)
def test_each_is_noticed(sweep: Sweep, chunk: int, tmp_path: Path) -> None:
    modules = sorted({mutant.changes[0].module for mutant in TABLE})[chunk :: len(CHUNKS)]
    tried = [mutant for mutant in TABLE if POINT or (mutant.area in CHEAP and not SOAK)]
    tried = tried or [mutant for mutant in TABLE if mutant.changes[0].module in modules]
    points = sweep.points(list(map(str, tried)), every=len(tried) / FEW)
    named = {str(mutant): mutant for mutant in TABLE}
    before: dict[str, running.Ran] = {}

    def attempt(point: str) -> str | None:
        mutant = named[point]
        if mutant.tests not in before:
            before[mutant.tests] = running.try_unchanged(tmp_path, mutant.tests)
        outcome = running.attempt(tmp_path, mutant, before[mutant.tests])
        return None if outcome.word in {"killed", "skipped"} else f"{outcome.word}: {outcome.told}"

    tmp_path.chmod(0o755)
    sweep.over(points, attempt)


def test_every_entry_fits_the_code(root: Path) -> None:
    wrong = [f"{mutant}: {why}" for mutant in TABLE if (why := misfit(mutant, root))]
    assert not wrong, "\n".join(wrong)


def misfit(mutant: Mutant, root: Path) -> str:
    try:
        mutant.texts()
    except NotApplicable as error:
        return str(error)
    if bool(mutant.because) is not (len(mutant.changes) > 1):
        return "what is disabled together needs its reason, and nothing else does"
    files = [word.partition("::")[0] for word in mutant.tests.split() if "/" in word]
    missing = [file for file in files if not (root / "tests" / file).exists()]
    return "" if files and not missing else f"there are no such tests: {missing}"


def test_no_two_have_one_name() -> None:
    names = list(map(str, TABLE))
    assert sorted(set(names)) == sorted(names)


def test_every_area_has_its_place_on_the_page() -> None:
    assert {mutant.area for mutant in TABLE} == TITLES.keys()


def test_no_guard_is_forgotten() -> None:
    named = {
        (change.module, name)
        for mutant in TABLE
        for change in mutant.changes
        for name in (change.place.split(".")[0], "")
    }
    forgotten = [
        f"{place} has no mutant"
        for module, name, place in judging()
        if (module, name) not in named and place not in NO_GUARDS
    ]
    assert not forgotten, "\n".join(forgotten)


def test_no_exception_is_stale() -> None:
    assert NO_GUARDS.keys() <= {place for _, _, place in judging()}


def test_the_page_lists_them_all() -> None:
    rows = read_rows()
    assert sorted(set(map(str, TABLE)) - rows.keys()) == [], "`make mutants ONLY=…` adds the rows"
    assert PAGE.read_text(encoding="utf-8") == page(TABLE, rows)


def judging() -> Iterator[tuple[str, str, str]]:
    """Yield module and name of all that judges: modules, and what others can use of them."""
    for module in codebase.modules():
        if not module.name.startswith(JUDGING):
            continue
        path = module.where.removeprefix("src/custody/")
        if any(not isinstance(node, ast.Expr | ast.ImportFrom) for node in module.tree.body):
            yield path, "", module.name
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                yield path, node.name, f"{module.name}.{node.name}"


@pytest.mark.parametrize(
    ("verb", "old", "new", "line"),
    [
        ("off", "len(key)  >  LIMIT", "False", 'if key == "ü" or (False):'),
        ("on", "key == 'ü'", "True", "if (True) or len(key) > LIMIT:"),
        ("drop", "self.note(key)", "pass", "        pass"),
        ("swap", "return True", "return 1\nreturn 2", "        return 2"),
        ("body", "", "return True", "        return True"),
    ],
)
def test_a_change_is_made_in_place(verb: str, old: str, new: str, line: str) -> None:
    changed = apply(Change("sample.py", "Door.opens", verb, old, new), SAMPLE)
    assert line in changed
    assert changed.startswith('"""A module."""\n\nLIMIT = 3\n')
    ast.parse(changed)


@pytest.mark.parametrize(
    ("place", "old"),
    [("Door.opens", "key == 'y'"), ("Door.opens", "key"), ("Door.shuts", "key"), ("", "key")],
)
def test_a_change_that_does_not_fit_is_refused(place: str, old: str) -> None:
    with pytest.raises(NotApplicable):
        apply(Change("sample.py", place, "off", old, "False"), SAMPLE)
