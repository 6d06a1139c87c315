"""How long a text is, in characters, words or tokens, and where the units lie."""
