"""The agent ``api``: a model behind OpenAI's Chat Completions, OpenAI's own or another's.

The runtime itself asks, so nothing is started and nothing runs in the workspace: what the model
says is the response, and its edits (`custody.executors.edits`) change the files.
"""

from __future__ import annotations

from collections.abc import Mapping

from custody.executors.chat.kind import chat_type
from custody.executors.chat.server import Server

OPENAI = "https://api.openai.com/v1"
KEY = "OPENAI_API_KEY"


def openai_server(environment: Mapping[str, str]) -> Server:
    """Return OpenAI's server, or what stands for it in the environment."""
    return Server(environment.get("OPENAI_BASE_URL") or OPENAI, KEY)


AGENT = chat_type(
    "api", "Asks a model behind OpenAI's Chat Completions.", openai_server, keyed=OPENAI
)
