"""Numbers and times in the words of questions, and the alignment of a query's values with its question."""
