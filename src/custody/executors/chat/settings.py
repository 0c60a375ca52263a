"""The settings that agents which are chat models share."""

from __future__ import annotations

from custody.executors.programs.settings import LIMITS
from custody.executors.settings import setting

CHAT_SETTINGS = (
    setting("base_url", "string", "Address of the server, up to and with `/v1`."),
    setting("model", "string", "Which model; it must be named here or behind the agent's name."),
    setting("key_env", "string", "The variable that holds the key."),
    setting("system", "string", "What the model is told first; default: how it can change files."),
    setting("temperature", "float", "Sent as it is; default: the server's."),
    setting("top_p", "float", "Sent as it is; default: the server's."),
    setting("max_tokens", "integer", "Most tokens of the answer; default: the server's."),
    setting("seed", "integer", "Sent as it is, for servers that can repeat an answer."),
    setting("parameters", "string", "Further fields of the request, as a JSON object."),
    setting("retries", "integer", "How often to ask again when the server is busy or not there."),
    *LIMITS,
)
