"""One file a kind of embedder; `evaluation.embedding.open_embedder` picks."""
