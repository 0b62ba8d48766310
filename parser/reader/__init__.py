"""The network that reads a question together with a schema, and writes a query by pointing at both.

Its modules are imported one by one: the package alone imports no torch.
"""
