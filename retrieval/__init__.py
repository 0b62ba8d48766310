"""Which solved questions, formulas or columns are most like a question: a bi-encoder, lexical search, both fused."""
