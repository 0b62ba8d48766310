"""Grounding: which column, table or value of a database a concept of a formula is (Liu et al. 2021, ETA)."""
