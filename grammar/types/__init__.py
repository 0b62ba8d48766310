"""Type inference by abstract interpretation: abstract values, and their results under operators, functions, casts."""
