"""Measures of ragas, beside our own: some computed, some asked of a language model. The one door to ragas."""
