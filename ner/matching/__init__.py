"""Matching of a question with cells: words, codes, names, quotes, and the score of a match."""
