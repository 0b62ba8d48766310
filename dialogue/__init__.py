"""Talking to a database: what is opened to be asked, and conversations about it."""
