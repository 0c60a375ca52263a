"""What is sent to a chat server, and how its answer is read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import UsageError
from custody.executors.chat.completions import SYSTEM, ChatReader, request_body
from custody.executors.settings import Settings
from custody.model.request import Usage


class TestBody:
    def test_what_is_not_set_is_not_sent(self) -> None:
        body = request_body(Settings("api", {}, {}), "m", "Go.")
        assert body == {
            "model": "m",
            "messages": [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": "Go."},
            ],
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    def test_further_fields(self) -> None:
        fields = '{"reasoning_effort": "low", "stream_options": null}'
        settings = Settings("api", {"api.parameters": fields, "api.system": ""}, {})
        assert request_body(settings, "m", "Go.") == {
            "model": "m",
            "messages": [{"role": "user", "content": "Go."}],
            "stream": True,
            "reasoning_effort": "low",
        }

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("parameters", "[]"),
            ("parameters", '{"stream": false}'),
            ("temperature", "warm"),
            ("temperature", "nan"),
            ("max_tokens", "1.5"),
        ],
    )
    def test_what_makes_no_sense_is_told(self, name: str, value: str) -> None:
        with pytest.raises(UsageError):
            request_body(Settings("api", {f"api.{name}": value}, {}), "m", "Go.")

    def test_there_must_be_a_model(self) -> None:
        with pytest.raises(UsageError, match="has no model"):
            request_body(Settings("api", {}, {}), "", "Go.")


class TestReader:
    def test_what_the_work_cost(self) -> None:
        reader = ChatReader("asked")
        reader.chunk({"choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}]})
        reader.chunk(
            {
                "model": "given",
                "usage": {"prompt_tokens": 3, "completion_tokens": 2, "cost": 0.0012},
            }
        )
        usage = Usage(model="given", input_tokens=3, output_tokens=2, cost_usd=0.0012)
        assert reader.reply().usage == usage

    def test_a_model_that_declines_failed(self) -> None:
        reader = ChatReader("m")
        reader.chunk({"choices": [{"delta": {"refusal": "No."}, "finish_reason": "stop"}]})
        assert reader.reply().error == "agent_declined: No."

    @given(
        st.lists(
            st.recursive(
                st.none() | st.integers() | st.text(),
                lambda inner: (
                    st.lists(inner)
                    | st.dictionaries(
                        st.sampled_from(["choices", "delta", "content", "usage", "model"]), inner
                    )
                ),
                max_leaves=20,
            )
        )
    )
    def test_any_chunk_is_read(self, pieces: list[Any]) -> None:
        reader = ChatReader("m")
        said = "".join(map(reader.chunk, pieces))
        assert reader.reply().text == said
