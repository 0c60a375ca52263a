"""The three protocols that agents speak with a model, as far as a scripted one needs them.

A wire is pure: from a request's JSON to what was asked, and from a turn to the JSON of the
answer, whole or as the events of a stream.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from custody.testing.script import Script, Turn

Json = dict[str, Any]
SHELLS = ("exec_command", "shell_command", "shell", "Bash", "bash")
"""What agents call their shell tool."""
PIECE = 24
"""Characters of each piece in which a text is streamed on the Chat Completions wire."""


class Call(NamedTuple):
    """A call of the agent's shell tool."""

    name: str
    arguments: Json


class ModelReply(NamedTuple):
    """A turn, made ready for one request."""

    model: str
    say: str
    call: Call | None
    input_tokens: int
    output_tokens: int
    number: int
    """How many tool results the conversation held: makes the identifiers differ."""
    finish: str = ""
    """Why it ends, where the script says so."""


class Wire(NamedTuple):
    """One protocol."""

    results: Callable[[Json], int]
    """How many results of tools the conversation holds."""
    whole: Callable[[ModelReply], Json]
    stream: Callable[[ModelReply], Iterator[Json]]
    named_events: bool
    """Whether each event of a stream is told by name too, rather than ended by ``[DONE]``."""


def reply_to(request: Json, turn: Turn, script: Script, results: int) -> ModelReply:
    """Return the turn as an answer to ``request``, for the tools that it offers."""
    return ModelReply(
        model=str(request.get("model") or script.model),
        say=turn.say,
        call=_shell_call(request.get("tools") or (), turn.run) if turn.run else None,
        input_tokens=script.input_tokens,
        output_tokens=script.output_tokens,
        number=results,
        finish=turn.finish,
    )


def _shell_call(tools: Sequence[Json], command: str) -> Call | None:
    offered = {tool["name"]: tool for tool in map(_plain, tools) if tool.get("name")}
    name = next((shell for shell in SHELLS if shell in offered), None)
    if name is None:
        return None
    schema = offered[name].get("parameters") or offered[name].get("input_schema") or {}
    properties = schema.get("properties") or {}
    if "cmd" in properties:
        return Call(name, {"cmd": command})
    if (properties.get("command") or {}).get("type") == "array":
        return Call(name, {"command": ["sh", "-c", command]})
    return Call(name, {"command": command, "description": "Run what the script says"})


def _plain(tool: Json) -> Json:
    nested = tool.get("function")
    return nested if isinstance(nested, dict) else tool


# --- OpenAI Responses ---------------------------------------------------------------------


def _responses_results(request: Json) -> int:
    items = request.get("input")
    kinds = [item.get("type") for item in items if isinstance(item, dict)] if items else []
    return kinds.count("function_call_output")


def _responses_items(reply: ModelReply) -> list[Json]:
    items: list[Json] = []
    if reply.say:
        items.append(
            {
                "type": "message",
                "id": f"msg_{reply.number}",
                "role": "assistant",
                "content": [{"type": "output_text", "text": reply.say, "annotations": []}],
            }
        )
    if reply.call:
        items.append(
            {
                "type": "function_call",
                "id": f"fc_{reply.number}",
                "call_id": f"call_{reply.number}",
                "name": reply.call.name,
                "arguments": json.dumps(reply.call.arguments),
            }
        )
    return items


def _responses_whole(reply: ModelReply) -> Json:
    return {
        "id": f"resp_{reply.number}",
        "object": "response",
        "status": "completed",
        "model": reply.model,
        "output": _responses_items(reply),
        "usage": {
            "input_tokens": reply.input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": reply.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": reply.input_tokens + reply.output_tokens,
        },
    }


def _responses_stream(reply: ModelReply) -> Iterator[Json]:
    whole = _responses_whole(reply)
    yield {"type": "response.created", "response": {"id": whole["id"]}}
    for index, item in enumerate(whole["output"]):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": whole}


# --- Anthropic Messages -------------------------------------------------------------------


def _messages_results(request: Json) -> int:
    blocks = [
        block
        for message in request.get("messages") or ()
        if isinstance(message.get("content"), list)
        for block in message["content"]
    ]
    return sum(block.get("type") == "tool_result" for block in blocks)


def _messages_blocks(reply: ModelReply) -> list[Json]:
    blocks: list[Json] = []
    if reply.say:
        blocks.append({"type": "text", "text": reply.say})
    if reply.call:
        blocks.append(
            {
                "type": "tool_use",
                "id": f"toolu_{reply.number}",
                "name": reply.call.name,
                "input": reply.call.arguments,
            }
        )
    return blocks


def _messages_whole(reply: ModelReply) -> Json:
    return {
        "id": f"msg_{reply.number}",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": _messages_blocks(reply),
        "stop_reason": "tool_use" if reply.call else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens},
    }


def _messages_stream(reply: ModelReply) -> Iterator[Json]:
    whole = _messages_whole(reply)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            empty: Json = {**block, "text": ""}
            delta: Json = {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
        "usage": whole["usage"],
    }
    yield {"type": "message_stop"}


# --- Chat Completions ---------------------------------------------------------------------


def _chat_results(request: Json) -> int:
    return sum(message.get("role") == "tool" for message in request.get("messages") or ())


def _chat_message(reply: ModelReply) -> Json:
    message: Json = {"role": "assistant", "content": reply.say or None}
    if reply.call:
        function = {"name": reply.call.name, "arguments": json.dumps(reply.call.arguments)}
        message["tool_calls"] = [
            {"index": 0, "id": f"call_{reply.number}", "type": "function", "function": function}
        ]
    return message


def _chat_whole(reply: ModelReply) -> Json:
    return {
        "id": f"chatcmpl-{reply.number}",
        "object": "chat.completion",
        "created": 0,
        "model": reply.model,
        "choices": [
            {
                "index": 0,
                "message": _chat_message(reply),
                "finish_reason": reply.finish or ("tool_calls" if reply.call else "stop"),
            }
        ],
        "usage": {
            "prompt_tokens": reply.input_tokens,
            "completion_tokens": reply.output_tokens,
            "total_tokens": reply.input_tokens + reply.output_tokens,
        },
    }


def _chat_stream(reply: ModelReply) -> Iterator[Json]:
    whole = _chat_whole(reply)
    choice = whole["choices"][0]
    head = {**whole, "object": "chat.completion.chunk", "usage": None}
    for delta in _pieces(choice["message"]):
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield {**head, "choices": [end]}
    yield {**head, "choices": [], "usage": whole["usage"]}


def _pieces(message: Json) -> list[Json]:
    """Return a message as the deltas of a stream; the first holds all but the rest of the text."""
    text = message["content"] or ""
    rest = [{"content": text[at : at + PIECE]} for at in range(PIECE, len(text), PIECE)]
    return [{**message, "content": text[:PIECE] or None}, *rest]


WIRES = {
    "/responses": Wire(_responses_results, _responses_whole, _responses_stream, named_events=True),
    "/messages": Wire(_messages_results, _messages_whole, _messages_stream, named_events=True),
    "/chat/completions": Wire(_chat_results, _chat_whole, _chat_stream, named_events=False),
}
"""By how the address ends, with or without ``/v1`` in front."""


def events(wire: Wire, reply: ModelReply) -> Iterator[bytes]:
    """Yield the stream of an answer as server-sent events."""
    for event in wire.stream(reply):
        name = f"event: {event['type']}\n" if wire.named_events else ""
        yield f"{name}data: {json.dumps(event)}\n\n".encode()
    if not wire.named_events:
        yield b"data: [DONE]\n\n"
