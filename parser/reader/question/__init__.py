"""A question as the network reads it: its words, the values that it names, and what was said before."""
