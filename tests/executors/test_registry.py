"""Every agent says what it is, in a file of its own that costs next to nothing to read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from custody.errors import UsageError
from custody.executors import Stage, agents
from custody.executors.agents import AgentType
from custody.executors.registry import (
    agent_type,
    check_agent,
    handed_in,
    packaged_prefix,
    packaged_types,
    rules_of,
)
from custody.executors.settings import setting
from custody.model.request import Ack, AgentRequest


def test_a_file_is_an_agent_of_its_name() -> None:
    folder = Path(agents.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert {kind.name for kind in packaged_types()} == files


def test_no_word_means_two_of_them() -> None:
    words = [word for kind in packaged_types() for word in (kind.name, *kind.aliases)]
    prefixes = [kind.prefix for kind in packaged_types()]
    assert len(set(words)) == len(words)
    assert len(set(prefixes)) == len(prefixes)


@pytest.mark.parametrize("kind", packaged_types(), ids=lambda kind: kind.name)
def test_what_it_says_can_be_printed(kind: AgentType) -> None:
    told = [kind.doc, *(rule.doc for rule in kind.settings)]
    assert [text for text in told if not text.endswith(".")] == []
    assert len(f"{kind.spelling:<20} {kind.doc}") <= 100
    assert len({rule.name for rule in kind.settings}) == len(kind.settings)
    assert not (kind.parallel and kind.starts_programs)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("stub", "stub"),
        ("fake:a:b", "fake"),
        ("manual_outbox", "outbox"),
        ("api_agent", "command"),
        ("codex:model", "codex"),
    ],
)
def test_an_agent_is_found_by_each_of_its_names(spec: str, name: str) -> None:
    assert check_agent(spec).name == name


@pytest.mark.parametrize(
    "name", ["", "nobody", "__init__", "_stub", "stub.x", "../stub", "settings", "Stub"]
)
def test_nothing_else_is_one(name: str) -> None:
    assert agent_type(name) is None
    with pytest.raises(UsageError, match="no agent named") as told:
        check_agent(name)
    assert "ollama_agent" in told.value.hint


def test_settings_are_found_by_what_they_begin_with() -> None:
    fake = packaged_prefix("test")
    assert fake is not None
    assert fake.name == "fake"
    assert packaged_prefix("fake") is None
    assert "test.outcome" in [rule.name for rule in rules_of("test")]
    assert "codex.sandbox" in [rule.name for rule in rules_of("codex")]
    assert [rules_of(word) for word in ("fake", "stub", "nobody", "")] == [()] * 4


def test_what_an_agent_is_can_be_read_for_next_to_nothing() -> None:
    """Naming one imports its file alone, and naming all of them nothing that acts."""
    code = (
        "import sys; from custody.executors.registry import check_agent, packaged_types\n"
        "check_agent('codex'); print(*sys.modules); packaged_types(); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    one, every = (set(line.split()) for line in done.stdout.splitlines())
    others = {f"custody.executors.agents.{kind.name}" for kind in packaged_types()}
    assert one & others == {"custody.executors.agents.codex"}
    assert not {"custody.sandbox", "custody.store.root", "custody.workspace", "pkgutil"} & one
    heavy = {"asyncio", "logging", "openai", "subprocess", "tomllib", "urllib"}
    assert not (heavy | {"custody.egress", "custody.ingest", "custody.supervise"}) & every


class Quiet:
    """Says nothing.

    At length.
    """

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        stage.folder.write("response.md", "")
        return Ack(request_id=request.id, status="ok")


@pytest.mark.req("U-17")
def test_an_object_is_known_while_it_is_handed_in() -> None:
    with handed_in(Quiet()) as name:
        kind = check_agent(name)
        assert (kind.name, kind.doc) == ("python", "Says nothing.")
        assert name == f"python:{Quiet.__module__}.Quiet"
    with pytest.raises(UsageError, match="is an object of a Python program") as told:
        check_agent(name)
    assert "custody.resume" in told.value.hint


@pytest.mark.req("U-17")
def test_a_type_that_is_handed_in_brings_its_settings() -> None:
    kind = AgentType(
        name="shout",
        doc="Shouts.",
        make=lambda _argument, _context: Quiet(),
        starts_programs=False,
        settings=(setting("loud", "boolean", "How."),),
    )
    assert rules_of("shout") == ()
    with handed_in(kind) as name:
        assert agent_type(name) is kind
        assert [rule.name for rule in rules_of("shout")] == ["shout.loud"]
    assert agent_type("shout") is None


def test_what_is_handed_in_belongs_to_one_thread() -> None:
    from threading import Thread

    seen: list[AgentType | None] = []
    with handed_in(Quiet()) as name:
        thread = Thread(target=lambda: seen.append(agent_type(name)))
        thread.start()
        thread.join()
    assert seen == [None]


@pytest.mark.parametrize("name", ["codex", "manual_outbox"])
def test_the_name_of_a_packaged_agent_is_taken(name: str) -> None:
    kind = AgentType(name=name, doc="X.", make=lambda _a, _c: Quiet(), starts_programs=False)
    with pytest.raises(UsageError, match=f"an agent named '{name}' already"), handed_in(kind):
        pass
