"""A stage that asks a chat model, and what came of it."""

from __future__ import annotations

import json
from typing import Any

from custody.model.event import RequestAnswered
from custody.model.request import Ack
from support.bench import Bench

ANSWER = "I wrote it.\n\n```text file=src/a.txt\nhello\n```\n"


NODE = "start -> build -> done\n build [agent=api, api.retries=0, prompt="


SECRET = "sk-of-the-user-0123456789"


def ack_of(bench: Bench) -> Ack:
    """Return the one answer of a run."""
    return next(fact.ack for fact in bench.facts() if isinstance(fact, RequestAnswered))


def logged(bench: Bench, agent: str = "api") -> list[dict[str, Any]]:
    """Return what the agent of the stage ``build`` logged."""
    text = bench.path(f"nodes/build/1.1/{agent}.log.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]
