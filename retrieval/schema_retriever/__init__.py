"""Which tables of a large schema a question needs (schema linking): names, cells and keys, scored table by table."""
