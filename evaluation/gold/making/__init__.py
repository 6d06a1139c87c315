"""Questions that no person wrote, for a first sweep or as a draft: one file a way to make them."""
