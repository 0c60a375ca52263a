"""What a scripted model says: commands for the agent's own shell, then a last word.

A script is data, so that it can stand in a JSON file as well as in a test:

    {"answers": [{"when": "parser", "turns": [{"run": "make fix"}, {"say": "Fixed."}]}]}

Which turn is due follows from the conversation alone, from how many results of tools it holds:
an agent that repeats a request gets the same answer again.
"""

from __future__ import annotations

from custody.model.record import Record


class Turn(Record, frozen=True, omit_defaults=True):
    """One answer of the model."""

    say: str = ""
    """Text for the person; after a turn without ``run`` the agent has finished."""
    run: str = ""
    """A command line for the agent's shell tool."""
    status: int = 200
    """The HTTP status; from 400 on the answer is an error and ``say`` its message."""
    wait: float = 0.0
    """Seconds before the answer; the end of the server ends it early."""
    pause: float = 0.0
    """Seconds before each piece of a streamed answer but the first."""
    cut: bool = False
    """Whether a streamed answer is broken off in the middle."""
    finish: str = ""
    """Why the answer ends, on the Chat Completions wire: ``length``, ``content_filter`` …"""


class Answer(Record, frozen=True):
    """The turns of one conversation."""

    turns: tuple[Turn, ...]
    when: str = ""
    """Words that the conversation must hold for this answer."""


class Script(Record, frozen=True):
    """Everything that the model will say."""

    answers: tuple[Answer, ...]
    model: str = "scripted"
    """The model's name where the request gives none."""
    input_tokens: int = 1000
    output_tokens: int = 100
    """What each turn is said to have cost."""

    @classmethod
    def of(cls, *turns: Turn) -> Script:
        """Return the script that gives every conversation the same turns."""
        return cls(answers=(Answer(turns=turns),))

    def turn(self, conversation: str, results: int) -> Turn:
        """Return what the model says now; the last turn repeats."""
        for answer in self.answers:
            if answer.when in conversation and answer.turns:
                return answer.turns[min(results, len(answer.turns) - 1)]
        return Turn(say="The script has no answer to this.", status=400)
