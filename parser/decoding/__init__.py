"""From scores to queries: beam search under the local constraint, and the choice among what it finds.

Names load on first use, so that importing the package does not import torch.
"""
