"""The lexer: splits SQL text into words, with the names and terminals that the grammar allows next."""
