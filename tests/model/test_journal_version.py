from __future__ import annotations

from custody.model.event import JournalLine
from custody.model.journal_version import CURRENT, VERSIONS
from custody.model.record import SCHEMA_VERSION


def test_new_lines_are_of_the_current_version() -> None:
    assert CURRENT.number == [*VERSIONS][-1] == "1.5"
    fields = JournalLine.__struct_fields__
    assert fields[0] == "schema_version"
    assert JournalLine.__struct_defaults__[-len(fields)] == "1.5"


def test_other_documents_stay_as_they_were() -> None:
    assert SCHEMA_VERSION == "1.0"


def test_verdicts_are_facts_since_1_1() -> None:
    assert {number: known.verdicts_recorded for number, known in VERSIONS.items()} == {
        "1.0": False,
        "1.1": True,
        "1.2": True,
        "1.3": True,
        "1.4": True,
        "1.5": True,
    }


def test_earlier_runs_are_judged_by_the_rules_of_their_time() -> None:
    rules = {
        known.number: (known.effects_judged, known.checks_required) for known in VERSIONS.values()
    }
    assert rules == {
        "1.0": (False, False),
        "1.1": (False, False),
        "1.2": (True, True),
        "1.3": (True, True),
        "1.4": (True, True),
        "1.5": (True, True),
    }


def test_attempts_are_kept_and_budgets_final_since_1_2() -> None:
    kept = {
        known.number: (known.attempts_kept, known.budgets_final, known.agents_named)
        for known in VERSIONS.values()
    }
    assert [number for number, flags in kept.items() if any(flags)] == ["1.2", "1.3", "1.4", "1.5"]
    assert all(kept["1.2"])
    assert all(kept["1.3"])


def test_the_language_is_that_of_1_3_since_then() -> None:
    language = {
        known.number: (
            known.attributes_known,
            known.variables_open,
            known.plans_offered,
            known.outputs_quoted,
            known.stand_ins_named,
        )
        for known in VERSIONS.values()
    }
    assert [number for number, flags in language.items() if any(flags)] == ["1.3", "1.4", "1.5"]
    assert all(language["1.3"])


def test_usage_is_summed_and_the_form_of_files_told_since_1_3() -> None:
    told = {known.number: (known.usage_summed, known.ingest_asked) for known in VERSIONS.values()}
    assert [number for number, flags in told.items() if any(flags)] == ["1.3", "1.4", "1.5"]
    assert all(told["1.3"])


def test_a_version_knows_what_there_was_before_it() -> None:
    assert [number for number, known in VERSIONS.items() if known.knows("1.1")] == [
        "1.1",
        "1.2",
        "1.3",
        "1.4",
        "1.5",
    ]


def test_runs_leave_packets_since_1_5() -> None:
    assert [number for number, known in VERSIONS.items() if known.packets] == ["1.5"]
