"""The rules of the constraint, and the semantic actions that judge each finished phrase by them."""
