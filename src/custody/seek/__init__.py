"""Search that cites: pieces of patches, documents, code and logs, found again by their words."""
