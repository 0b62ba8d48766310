"""Schema retrieval: scores the tables of a large schema for a question by their names, cells and keys."""
