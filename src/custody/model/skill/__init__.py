"""What the files of a skill and of its jobs hold: names and fields of the documented protocol."""

PIPELINE = "skill_job"
"""The packaged pipeline that every job of a skill is a run of."""
