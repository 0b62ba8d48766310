"""The graph-structured LR stacks that prefixes share, and the terminals that may follow each stack."""
