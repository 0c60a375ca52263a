"""The JSON artifacts of a change: one record a file, with the fields that its document names."""
