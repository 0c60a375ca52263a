"""What the files of a skill and of its jobs hold: names and fields of the documented protocol."""
