"""What a scripted model says follows from the conversation alone."""

from __future__ import annotations

from custody.model.record import decode, encode
from custody.testing.script import Answer, Script, Turn

RUN, SAY = Turn(run="ls"), Turn(say="Done.")


def test_a_script_chooses_by_words_of_the_conversation() -> None:
    script = Script(answers=(Answer(turns=(RUN,), when="parser"), Answer(turns=(SAY,))))
    assert script.turn("fix the parser", 0) == RUN
    assert script.turn("something else", 5) == SAY
    assert Script(answers=()).turn("", 0).status == 400


def test_turns_follow_the_results_of_tools_and_the_last_repeats() -> None:
    script = Script.of(Turn(run="make"), Turn(say="Done."))
    assert [script.turn("", results).say for results in (0, 1, 2, 9)] == [
        "",
        "Done.",
        "Done.",
        "Done.",
    ]
    assert script.turn("", 0) == script.turn("", 0), "a request that is repeated"


def test_without_an_answer_the_model_says_so() -> None:
    script = Script(answers=(Answer(when="x", turns=()),))
    assert script.turn("x", 0).status == 400


def test_a_script_may_stand_in_a_file() -> None:
    text = b'{"answers": [{"when": "parser", "turns": [{"run": "make fix"}, {"say": "Fixed."}]}]}'
    script = decode(text, Script, where="script.json")
    assert script.turn("the parser is broken", 1).say == "Fixed."
    assert decode(encode(script), Script, where="") == script
