"""Parts of pipelines that are drawn by chance, each of which can stand anywhere in a chain.

Every part does something that a disturbance could spoil: it is tried again, goes round, works
through a list, asks a person, starts programs, is refused. What it leaves depends on nothing but
the answers that stand in it, so that two runs of it can be compared.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

NEXT = "NEXT"
"""Stands in a part's text for the node that comes after it."""
TOKENS = 10
"""What every recorded answer has cost."""
LONG = "words and more words, so many that they stand in a file of their own\n" * 60


class Part(NamedTuple):
    """One link of a chain."""

    name: str
    """The node that it begins with."""
    text: str
    """Its nodes and edges, as DOT."""
    answers: dict[str, list[dict[str, Any]]] = {}
    """What agents say and do, by stage, for the first call, the second and so on."""
    letters: dict[str, str] = {}
    """What a person says, by stage."""
    pipelines: dict[str, str] = {}
    """Files beside the pipeline: what its lists run."""
    programs: dict[str, str] = {}
    """Files of the project: what its commands run."""
    once: bool = True
    """Whether a run comes to its first node once only, so that a fork there is always the same."""


Draw = Callable[[random.Random, str], Part]


def answer(text: str, outcome: str = "success", **edits: str) -> dict[str, Any]:
    """Return a recorded answer; edits are named by files without their ending."""
    return {
        "text": text,
        "outcome": outcome,
        "notes": f"{outcome} is what it came to",
        "edits": [{"path": f"{name}.txt", "content": said} for name, said in edits.items()],
        "usage": {"model": "m", "input_tokens": TOKENS - 1, "output_tokens": 1, "cost_usd": 0.01},
    }


def _tries(by: random.Random, name: str, most: int) -> list[dict[str, Any]]:
    """Return answers of which all but the last fail, each with files that are in the way."""
    failures = by.randrange(most + 1)
    tries = [
        answer(f"try {number} of {name}\n", by.choice(("fail", "retry")), shared=f"{name}{number}")
        for number in range(failures)
    ]
    return [*tries, answer(by.choice((f"{name} is done\n", LONG)), shared=name, **{name: "done\n"})]


def retried(by: random.Random, name: str) -> Part:
    """Draw a stage that an agent comes to in several attempts, or not at all."""
    answers = _tries(by, name, 3)
    retries = by.choice((len(answers) - 1, len(answers) - 1, max(0, len(answers) - 2)))
    partial = ", allow_partial=true" if by.random() < 0.5 else ""
    delay = by.choice(("0s", "20ms", "300ms"))
    text = (
        f'{name} [prompt="Write {name} for $goal", max_retries={retries}, '
        f'retry_delay="{delay}"{partial}]\n'
        f'{name} -> {NEXT}\n{name} -> {NEXT} [condition="outcome=fail"]'
    )
    return Part(name, text, {name: answers})


def looped(by: random.Random, name: str) -> Part:
    """Draw work that is judged by a command and goes round until that is content."""
    rounds = by.randrange(3)
    halves = [answer(f"half {n}\n", **{name: f"half {n}\n"}) for n in range(rounds)]
    text = (
        f'{name} [prompt="Go on with {name}", max_visits=9]\n'
        f'{name}_check [type=tool, tool_command="grep done {name}.txt", max_visits=9]\n'
        f"{name} -> {name}_check\n"
        f'{name}_check -> {name} [condition="outcome=fail"]\n'
        f'{name}_check -> {NEXT} [condition="outcome=success"]'
    )
    answers = [*halves, answer("all\n", **{name: "done\n"})]
    return Part(name, text, {name: answers}, once=False)


def listed(by: random.Random, name: str) -> Part:
    """Draw a list whose items are worked on beside each other, some of them by a person."""
    items = by.randint(2, 5)
    persons = [n for n in range(1, items + 1) if by.random() < 0.25]
    inner = f"""digraph {name} {{
    start [shape=Mdiamond]
    pick [type=agent_task, prompt="Pick ${{item}} of {name}",
          output_path="docs/{name}/p${{index}}.md"]
    draft [type=agent_task, prompt="Write ${{item}} of {name}", max_retries=1, retry_delay="20ms",
           output_path="docs/{name}/d${{index}}.md", max_visits=5]
    audit [type=agent_task, prompt="Audit:\\n${{doc:docs/{name}/d${{index}}.md}}", max_visits=5,
           output_path="audits/{name}/a${{index}}.md"]
    ask [type=agent_task, agent=outbox, prompt="Say ${{item}} of {name}",
         output_path="docs/{name}/s${{index}}.md"]
    done [shape=Msquare]
    start -> pick
    pick -> ask [condition="context.who=person"]
    pick -> draft
    draft -> audit
    audit -> draft [condition="outcome=fail"]
    audit -> done [condition="outcome=success"]
    ask -> done
}}
"""
    answers = {f"{name}.*.pick": [answer("picked\n")], f"{name}.*.audit": [answer("good\n")]}
    for number in range(1, items + 1):
        inside = f"{name}.{number}"
        first = [answer("no\n", "retry")] if by.random() < 0.3 else []
        answers[f"{inside}.draft"] = [*first, answer(by.choice((f"draft {number}\n", LONG)))]
        if by.random() < 0.3:
            answers[f"{inside}.audit"] = [answer("bad\n", "fail"), answer("good\n")]
        if number in persons:
            picked = answer("a person\n")
            answers[f"{inside}.pick"] = [{**picked, "context_updates": {"who": "person"}}]
    parallel = by.choice((1, 2, items))
    text = (
        f'{name} [type=each, pipeline="{name}.dot", items="1..{items}", max_parallel={parallel}]\n'
        f"{name} -> {NEXT}"
    )
    letters = {f"{name}.{number}.ask": f"{number} is said\n" for number in persons}
    return Part(name, text, answers, letters, {f"{name}.dot": inner})


def asked(by: random.Random, name: str) -> Part:
    """Draw a stage that a person answers, with a file."""
    more, block = "", ""
    if by.random() < 0.5:
        more = f", response_context={name}"
        block = '```json\n{"verdict": "good"}\n```\n'
    text = f'{name} [prompt="Say {name}", agent=outbox{more}]\n{name} -> {NEXT}'
    letter = f"Said.\n\n```text file={name}.txt\nsaid\n```\n{block}"
    return Part(name, text, letters={name: letter})


def documented(by: random.Random, name: str) -> Part:
    """Draw a document, and another that is made from it."""
    text = (
        f'{name} [type=write_file, output_path="docs/{name}.md", content="{name} for $goal"]\n'
        f'{name}_more [type=agent_task, prompt="More of:\\n${{doc:docs/{name}.md}}",'
        f' output_path="docs/{name}_more.md"]\n'
        f"{name} -> {name}_more -> {NEXT}"
    )
    return Part(name, text, {f"{name}_more": [answer(by.choice(("more\n", LONG)))]})


def programmed(by: random.Random, name: str) -> Part:
    """Draw an agent that is a program: it changes files, and leaves processes behind."""
    script = (
        "(setsid sleep 600 &)\n"
        f"mkdir -p {name}.d\necho {name} > {name}.d/made\nln -sf made {name}.d/link\n"
        f"chmod 755 {name}.d/made\nrm -f gone.txt\necho {name} >> shared.txt\n"
        f"sleep {by.choice(('0', '0.05', '0.2'))}\necho did {name}\n"
    )
    text = (
        f'{name} [prompt="Do {name}", agent=local_exec, local_exec.argv="sh -e {name}.sh"]\n'
        f"{name} -> {NEXT}"
    )
    return Part(name, text, programs={f"{name}.sh": script})


def commanded(by: random.Random, name: str) -> Part:
    """Draw a command that may fail, and a gate that asks about it afterwards."""
    code = by.choice((0, 0, 1))
    script = f"echo {name} >> shared.txt\nmkdir {name}.new\n(setsid sleep 600 &)\nexit {code}\n"
    text = (
        f'{name} [type=tool, tool_command="sh {name}.sh"]\n'
        f"{name}_gate [type=gate, stage={name}, gates=exit_code]\n"
        f'{name} -> {name}_gate\n{name} -> {name}_gate [condition="outcome=fail"]\n'
        f'{name}_gate -> {NEXT}\n{name}_gate -> {NEXT} [condition="outcome=fail"]'
    )
    return Part(name, text, programs={f"{name}.sh": script})


def refused(_by: random.Random, name: str) -> Part:
    """Draw an answer that writes where it may not: all of it is undone."""
    text = (
        f'{name} [prompt="Stray {name}", allowed_write_paths="{name}.txt"]\n'
        f'{name} -> {NEXT} [condition="outcome=fail"]\n'
        f'{name} -> {NEXT} [condition="outcome=success"]'
    )
    stray = answer("stray\n", **{name: "mine\n", "shared": "not mine\n"})
    return Part(name, text, {name: [stray]})


def verified(by: random.Random, name: str) -> Part:
    """Draw commands that judge, and whose own changes are thrown away."""
    commands = by.choice(("cat app.txt", f"sh {name}.sh", f"cat app.txt,sh {name}.sh"))
    text = (
        f'{name} [type=verification, verification.required_commands="{commands}"]\n'
        f'{name} -> {NEXT}\n{name} -> {NEXT} [condition="outcome=fail"]'
    )
    return Part(name, text, programs={f"{name}.sh": "echo by a judge > shared.txt\n"})


KINDS: dict[str, Draw] = {
    "retried": retried,
    "looped": looped,
    "listed": listed,
    "asked": asked,
    "documented": documented,
    "programmed": programmed,
    "commanded": commanded,
    "refused": refused,
    "verified": verified,
}
