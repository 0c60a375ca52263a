"""Checks that are asked before something is done, or before what was done is kept."""
