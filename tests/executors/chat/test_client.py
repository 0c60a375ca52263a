"""A chat server is asked, and whatever goes wrong has a stable word."""

from __future__ import annotations

import pytest

from custody.errors import UsageError
from custody.executors.chat.client import failure, require_sdk
from custody.testing.model_server import ModelServer, Script, Turn
from support.bench import Bench
from support.chat import ANSWER, NODE, SECRET, ack_of, logged
from support.servers import refusing_port


@pytest.mark.req("P-15")
@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        (Turn(status=401, say="wrong key"), "agent_unauthorized: 401 wrong key"),
        (Turn(status=403, say="not you"), "agent_unauthorized: 403 not you"),
        (Turn(status=404, say="no such model"), "agent_bad_request: 404 no such model"),
        (Turn(status=429, say="slow down"), "agent_rate_limited: 429 slow down"),
        (Turn(status=500, say="oh no"), "agent_server_error: 500 oh no"),
        (Turn(say=ANSWER * 9, cut=True), "agent_stream_broken: "),
        (Turn(say=""), "agent_empty_answer: "),
        (Turn(say=ANSWER, finish="length"), "agent_answer_cut_off: "),
        (Turn(say=ANSWER, finish="content_filter"), "agent_declined: "),
    ],
)
def test_what_goes_wrong_is_told_and_changes_nothing(
    bench: Bench, server: ModelServer, turn: Turn, reason: str
) -> None:
    server.script = Script.of(turn)
    bench.run(f'{NODE}"Go."]')
    ack = ack_of(bench)
    assert ack.status == "failed"
    assert ack.failure_reason.startswith(reason)
    assert logged(bench)[-1]["event"] == "agent.failure"
    assert not bench.path("workspace/src").exists()


def test_a_key_that_the_server_repeats_is_not_kept(bench: Bench, server: ModelServer) -> None:
    server.script = Script.of(Turn(status=401, say=f"wrong key: {SECRET}"))
    bench.run(f'{NODE}"Go."]')
    assert ack_of(bench).failure_reason == "agent_unauthorized: 401 wrong key: [key]"


def test_nobody_there(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with refusing_port() as port:
        monkeypatch.setenv("CUSTODY_API_BASE_URL", f"http://127.0.0.1:{port}/v1")
        bench.run(f'{NODE}"Go.", api.model=m]')
    assert ack_of(bench).failure_reason.startswith("agent_unreachable: ")


def test_a_busy_server_is_asked_again(bench: Bench, server: ModelServer) -> None:
    server.script = Script.of(Turn(status=500, say="oh no"))
    bench.run(f'{NODE.replace("api.retries=0", "api.retries=1")}"Go."]')
    assert len(server.asked) == 2


def test_a_stable_word_for_what_the_system_says() -> None:
    broken = OSError("connection reset")
    assert failure(broken, begun=False) == "agent_unreachable: connection reset"
    assert failure(broken, begun=True) == "agent_stream_broken: connection reset"
    silent = RuntimeError()
    assert failure(silent, begun=False) == "agent_unreachable: RuntimeError"


def test_without_the_package_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    require_sdk()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(UsageError, match="needs the package openai") as refused:
        require_sdk()
    assert "custody-runtime[api]" in refused.value.hint
