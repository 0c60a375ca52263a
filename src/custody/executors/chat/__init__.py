"""Agents that are models behind a chat server, asked by the runtime itself."""
