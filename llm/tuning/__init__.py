"""Tuning of a language model, on the solved questions of a domain or in stages on collections of databases."""
