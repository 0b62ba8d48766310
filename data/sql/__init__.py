"""Analysis of SQL with sqlglot: safety, values, sources, and translation to other dialects."""
