"""A workspace seen through an overlay: hidden parts, a stage's own layer, and its promotion."""
