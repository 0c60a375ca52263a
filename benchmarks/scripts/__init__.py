"""Measurements of custody and of the floor, each a program of its own."""
