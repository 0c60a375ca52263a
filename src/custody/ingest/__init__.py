"""Files out of documents: fenced blocks are found, judged one by one, and written."""
