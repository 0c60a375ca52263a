from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from custody.model import layout

NODES = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}", fullmatch=True)
NUMBERS = st.integers(min_value=1, max_value=10_000)


@given(NODES, NUMBERS, NUMBERS)
def test_a_request_and_its_folder_tell_of_each_other(node: str, visit: int, attempt: int) -> None:
    request = layout.request_id(node, visit, attempt)
    folder = layout.attempt_folder(node, visit, attempt)
    assert layout.request_folder(request) == folder
    assert layout.request_of(folder) == request
    assert layout.node_of(request) == node
    assert folder.startswith(f"{layout.node_folder(node)}/")


def test_what_is_set_aside_is_known_by_its_name() -> None:
    folder = layout.attempt_folder("fix", 1, 2)
    assert layout.set_aside(folder, 3) == "nodes/fix/1.2.lost.3"
    assert layout.is_set_aside(f"{layout.set_aside(folder, 3)}/prompt.md")
    assert not layout.is_set_aside(f"{folder}/prompt.md")


def test_documents_attempts_and_letters_are_told_apart() -> None:
    assert layout.is_document("docs/plan.md")
    assert layout.is_document("audits/a/b.md")
    assert not layout.is_document("docsy/plan.md")
    assert layout.is_attempt_file("nodes/fix/1.1/prompt.md")
    assert not layout.is_attempt_file("docs/nodes/fix.md")
    assert layout.is_correspondence(layout.question(1, "ask", "answer"))
    assert layout.is_correspondence(layout.answer("ask/1.1", "0" * 64))
    assert not layout.is_correspondence("inbox")


def test_stages_and_sessions_write_six_folders() -> None:
    theirs = [name for name in layout.WRITERS if layout.is_written_by_stages(name)]
    assert theirs == ["workspace", "layers", "cache", "homes", "session", "reports"]
    assert not layout.is_written_by_stages("docs")


def test_logs_are_known_by_their_names() -> None:
    streams = [f"nodes/a/1.1/{name}" for name in layout.streams("tool")]
    assert all(map(layout.is_log, [*streams, layout.agent_log("codex"), *layout.VERIFY_LOGS]))
    assert not any(map(layout.is_log, ["docs/log.md", layout.SUMMARY, "nodes/a/1.1/prompt.md"]))
