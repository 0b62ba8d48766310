"""From scores to queries: beam search under the local constraint, and the choice among what it finds.

Its modules are imported one by one: the package alone imports no torch.
"""
