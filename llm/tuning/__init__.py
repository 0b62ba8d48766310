"""Tunes a language model on the solved questions of a domain."""
