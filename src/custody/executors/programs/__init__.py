"""Agents that are programs: started, followed and judged in one way."""
