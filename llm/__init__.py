"""A large language model beside the parser: prompts, back ends, and the loop that answers."""
