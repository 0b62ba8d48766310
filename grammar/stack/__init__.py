"""The graph of LR stacks that prefixes share, and which terminals may follow each."""
