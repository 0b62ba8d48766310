"""What the tokens of a language model spell, in bytes, and the trie of them all."""
