"""Expansions: decoder words that stand for several SQL words, such as formulas and comparisons of typed columns."""
