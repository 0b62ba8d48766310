"""Completion cost: the fewest words that finish a query from a parser stack."""
