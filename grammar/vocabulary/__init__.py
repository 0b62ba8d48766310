"""The words of one domain, and what they mean to the rules."""
