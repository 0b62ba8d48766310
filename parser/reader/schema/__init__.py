"""What a network reads of a database: its items, what it can write of them, what was learnt on one domain."""
