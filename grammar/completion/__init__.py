"""The fewest words that finish a query from a stack."""
