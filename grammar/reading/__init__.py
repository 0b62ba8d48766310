"""SQL text into words: lexemes, names, and the terminals that the grammar lets come next."""
