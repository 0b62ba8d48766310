"""Columns that a question may use though its database has them not: formulas, parts of times, conditions."""
