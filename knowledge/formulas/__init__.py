"""Formulas: what people of a field know beside a database, as expressions over concepts (KnowSQL, EMNLP 2022)."""
