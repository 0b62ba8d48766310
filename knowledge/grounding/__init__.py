"""Grounding links a concept of a formula to a column, table or value of a database (Liu et al. 2021, ETA)."""
