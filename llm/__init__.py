"""A large language model in place of the parser: prompts, back ends, and the loop that answers."""
