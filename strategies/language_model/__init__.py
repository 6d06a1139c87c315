"""Asking language models: the door to them, what they answered, and how prompts are made."""
