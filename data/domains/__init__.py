"""Training data: the pairs of a domain, the shipped domains, and collections of many databases."""
