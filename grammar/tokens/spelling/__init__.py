"""The spellings of words, and the bytes that each token of a tokenizer adds to a text."""
