"""From a question to its answer: what it needs, its queries, their rows, the choice among them and how sure it is."""
