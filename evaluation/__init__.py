"""How good a cut is: gold, vectors, retrieval, scores and their statistics; nothing of sweeps."""
