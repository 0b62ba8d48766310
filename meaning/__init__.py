"""Semantic types of columns, detected from a sample of rows: times and their storage, flags, numbers in text."""
