"""SQL as far as sqlglot reads it: what is safe to run, its values and sources, and other dialects."""
