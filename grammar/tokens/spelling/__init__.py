"""How words are spelled, and what each token of a tokenizer adds to a text, in bytes."""
