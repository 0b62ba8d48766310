"""The vocabulary of one domain, with the meaning of its words for the rules."""
