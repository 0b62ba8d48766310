"""Formulas: domain knowledge that is not in a database, as expressions over concepts (KnowSQL, EMNLP 2022)."""
