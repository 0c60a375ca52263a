"""From the text of a pipeline to the model, and everything that can be said before it runs.

Pure: nothing here opens a file or reads a clock. `custody.pipeline.read.read_pipeline` is the
way in; the stages behind it are `tokens`, `parser`, `build` and `rules`.
"""
