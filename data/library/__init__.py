"""The shipped library: a Chinese university's catalogue of books and authors, Chinese and foreign.

`generate` fills its database from a seed: `people` makes the authors, `titles` and `books` what they wrote, `classics`
reads the few that are known everywhere; `catalogue` holds the terms, in Chinese and in English. People, titles,
publishers, schools and prizes are made up but for the classics.
"""
