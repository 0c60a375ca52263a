"""Measurements of the peers, each a program of its own."""
