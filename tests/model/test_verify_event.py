"""Facts of a change that others look for by name."""

from __future__ import annotations

from custody.model.event import FACTS
from custody.model.evidence import Evidence
from custody.model.journal_version import VERSIONS
from custody.model.verify_event import VERIFY_PASSED, AnyAnnouncement

LONG = "x" * 5000


def test_they_have_the_names_of_the_contract() -> None:
    names = {"VERIFY_STARTED", "VERIFY_PASSED", "VERIFY_FAILED", "BUNDLE_CREATED"}
    assert names <= FACTS.keys()


def test_no_older_journal_holds_them_and_a_replay_comes_to_them() -> None:
    for kind in AnyAnnouncement.__args__:
        knowing = [n for n, known in VERSIONS.items() if known.knows(kind.traits.since)]
        assert knowing == ["1.4", "1.5"]
        assert kind.traits.decision


def test_a_long_document_travels_by_its_hash_alone() -> None:
    documents = (Evidence.of_text("logs/a", LONG), Evidence.of_text("logs/b", "short"))
    sealed = VERIFY_PASSED(node="v", iteration=1, gate="lite", documents=documents).sealed()
    assert [item.text for item in sealed.documents] == [None, "short"]
    assert sealed.evidence() == sealed.documents
