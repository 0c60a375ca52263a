"""The section about attacks: what got through whom, and who was not tried."""

from __future__ import annotations

from benchmarks.subjects.attacks import NOT_RUN, Figures, attack_section

FIGURES: Figures = {
    "tried": {"files": 4, "limits": 2},
    "through": {"L3": {}, "L2": {"files": 1}, "nono": {"files": 3, "limits": 2}},
    "failed": {"srt": "npm is missing"},
}


def test_attacks_are_counted_by_kind_and_in_all() -> None:
    section = attack_section(FIGURES, "")
    columns = {heading.split(" ")[0]: at for at, heading in enumerate(section.headings)}
    files, limits, everything = section.lines
    assert (files[0], limits[0], everything[0]) == ("files", "limits", "all")
    assert [line[1:4] for line in section.lines] == [
        ("4", "0", "1"),
        ("2", "0", "0"),
        ("6", "0", "1"),
    ]
    assert [line[columns["nono-py"]] for line in section.lines] == ["3", "2", "5"]


def test_who_was_not_tried_neither_holds_nor_leaks() -> None:
    section = attack_section(FIGURES, "")
    assert [line[-1] for line in section.lines] == [NOT_RUN] * 3
    assert any("was not run: npm is missing." in note for note in section.notes)


def test_where_nothing_was_tried_it_is_said() -> None:
    section = attack_section({}, "it failed")
    assert section.lines == (("all", "0", *[NOT_RUN] * 6),)
    assert "Nothing was tried: it failed." in section.plain()
    assert "Nothing was tried: it failed." in section.markdown()
