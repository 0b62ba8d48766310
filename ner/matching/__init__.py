"""How a question is held against cells: words, codes, names, quotes, and how sure a match is."""
