"""Retrieval: a bi-encoder finds the solved questions most similar to a new one; a scorer the tables it needs."""
