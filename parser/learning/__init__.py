"""How the network learns: pairs made into training examples, and the loop over them.

Its modules are imported one by one: the package alone imports no torch.
"""
