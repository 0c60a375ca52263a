"""What an agent is told whose document becomes files: the one form that is read."""

from __future__ import annotations

HEADING = "## Files in your answer"
FORM = f"""\
{HEADING}

A fenced block of your answer becomes a file when its opening line is exactly

    ```<lang> file=<path>

with the language in place of `<lang>`, and in place of `<path>` the path of the file, relative and
without blanks. No quotes, nothing behind the path, no blanks before the backticks. The block holds
the whole file and is closed by a line of three backticks; where such a line is part of the file,
open and close with four. Any other block stays text.
"""


def asked(prompt: str) -> str:
    """Return a prompt that says in which form files are read, once."""
    return prompt if HEADING in prompt else f"{prompt.rstrip()}\n\n{FORM}"
