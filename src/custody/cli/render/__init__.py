"""How answers look: pure functions from values to lines of text."""
