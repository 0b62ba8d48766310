"""How the network learns: pairs made into lessons, and the loop over them.

Names load on first use, so that importing the package does not import torch.
"""
