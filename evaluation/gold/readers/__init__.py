"""Files of all kinds to documents, one file a reader."""
