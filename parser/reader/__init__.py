"""The network that reads a question together with a schema, and writes a query by pointing at both.

Names load on first use, so that importing the package does not import torch.
"""
