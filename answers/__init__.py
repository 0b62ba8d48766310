"""What comes back for a question, whoever answered it, and what people say of it."""
