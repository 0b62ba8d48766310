"""Which solved questions are most like a new one: a bi-encoder, lexical search, both fused; which tables it needs."""
