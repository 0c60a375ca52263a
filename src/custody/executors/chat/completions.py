"""One question to a chat server and its streamed answer, as OpenAI's Chat Completions say it."""

from __future__ import annotations

from typing import Any

from custody.errors import UsageError
from custody.executors.programs.reply import LINE_LIMIT, Reply
from custody.executors.records import Json, count, part, price, record_of, text, tokens
from custody.executors.settings import Settings
from custody.model.request import Usage

SYSTEM = """\
You work on the files of a folder. To write a file, put the whole file into a fence that names it:

```python file=src/example.py
print("hello")
```

To change files by a patch instead, answer with one patch as `git diff` prints it, and no such
fence. Whatever else you say is read by people.
"""
"""What a model is told first, where the setting ``system`` says nothing else."""

_OWN = frozenset({"model", "messages", "stream"})
_FAULTS = {
    "length": "agent_answer_cut_off: the model may say no more than it did",
    "content_filter": "agent_declined: the server's filter stopped the answer",
}


class ChatFailed(Exception):
    """There is no answer, or half of one; the text begins with a word that stays the same."""


def request_body(settings: Settings, model: str, prompt: str) -> Json:
    """Return what is sent; raises `UsageError` for settings that make no sense."""
    if not model:
        raise UsageError(
            f"the agent {settings.agent} has no model",
            hint=f"name it: {settings.agent}:MODEL, or {settings.agent}.model on the node",
        )
    system = settings.text("system", SYSTEM)
    messages = [{"role": "system", "content": system}] if system else []
    body: Json = {
        "model": model,
        "messages": [*messages, {"role": "user", "content": prompt}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": settings.number("temperature"),
        "top_p": settings.number("top_p"),
        "max_tokens": settings.whole("max_tokens"),
        "seed": settings.whole("seed"),
        **_further(settings),
    }
    return {name: value for name, value in body.items() if value is not None}


def _further(settings: Settings) -> Json:
    """Return the fields of the setting ``parameters``; null takes one of the others away."""
    written = settings.text("parameters")
    fields = record_of(written.encode(errors="replace"))
    where = f"{settings.agent}.parameters"
    if written and fields is None:
        raise UsageError("it is no JSON object", where=where)
    if taken := _OWN & (fields or {}).keys():
        raise UsageError(f"{', '.join(sorted(taken))} cannot be set here", where=where)
    return fields or {}


class ChatReader:
    """Reads the chunks of an answer."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._usage: Json = {}
        self._texts: list[str] = []
        self._declined = ""
        self._ended = ""
        self.size = 0
        """How many bytes were said."""

    def chunk(self, record: Any) -> str:
        """Take one; return what it adds to the answer. Raises `ChatFailed` for too much."""
        if not isinstance(record, dict):
            return ""
        self._model = text(record, "model") or self._model
        self._usage = part(record, "usage") or self._usage
        choices = record.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return ""
        self._ended = text(choice, "finish_reason") or self._ended
        delta = part(choice, "delta")
        self._declined += text(delta, "refusal")
        said = text(delta, "content")
        self._texts.append(said)
        self.size += len(said.encode(errors="replace"))
        if self.size > LINE_LIMIT:
            raise ChatFailed(f"agent_answer_too_long: more than {LINE_LIMIT} bytes")
        return said

    def reply(self) -> Reply:
        """Return the answer, what it cost, and what is wrong with it."""
        usage = Usage(
            model=self._model,
            input_tokens=count(self._usage, "prompt_tokens"),
            output_tokens=count(self._usage, "completion_tokens"),
            cost_usd=price(self._usage, "cost"),
            cached_tokens=tokens(part(self._usage, "prompt_tokens_details"), "cached_tokens"),
        )
        return Reply(text="".join(self._texts), usage=usage, error=self._fault())

    def _fault(self) -> str:
        if self._declined:
            return f"agent_declined: {self._declined}"
        if not self._ended:
            return "agent_stream_broken: the answer has no end"
        if self._ended in _FAULTS:
            return _FAULTS[self._ended]
        return "" if "".join(self._texts).strip() else "agent_empty_answer: the model said nothing"
