"""The first files of a project: what is there is looked at, and a pipeline for it is written."""
