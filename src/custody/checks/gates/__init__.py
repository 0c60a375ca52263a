"""Checks that are asked about what was done: whether it is what was wanted."""
