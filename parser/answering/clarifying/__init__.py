"""Asking back where an answer is unsure."""
