"""Which solved questions are most like a new one: a bi-encoder finds them; and which tables it needs."""
