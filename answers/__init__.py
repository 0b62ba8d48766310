"""The answers of parsers and language models, and the feedback of users on them."""
