"""The local constraint: which words may come next, within a budget of words and what a question has."""
