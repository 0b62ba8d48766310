"""The constraint on the tokens of any language model, which masks its SQL token by token."""
