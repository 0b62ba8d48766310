"""The constraint on the tokens of any language model: SQL as models write it, masked token by token."""
