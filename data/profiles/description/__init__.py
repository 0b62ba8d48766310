"""Description files: what people say of their tables and columns, over what was found in them."""
