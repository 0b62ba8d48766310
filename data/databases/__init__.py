"""Databases, opened read-only, and their catalogues of tables, keys and settings."""
