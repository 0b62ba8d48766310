"""Question to SQL: a network that reads question and schema, its search under both constraints, and its training.

Its modules are imported one by one: the package alone imports no torch.
"""
