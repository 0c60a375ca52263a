"""custody runs agent work as deterministic pipelines and leaves evidence that can be checked."""
