"""Skills: what is run inside a resident tool, and what it must leave behind to count as done."""
