"""The input and output of the network, which encodes a question with a schema and points at both to write a query.

Its modules are imported one by one: the package alone imports no torch.
"""
