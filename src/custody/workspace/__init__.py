"""Where effects may land: the copy a run works on, what changed in it, and the way back."""
